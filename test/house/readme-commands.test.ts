import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-code.ts";
import { startSandbox } from "../../src/sandbox/http/server.ts";
import { endSharedServers, watch, type Ended } from "../support/process/process.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import {
  commands,
  commandsIn,
  missing,
  otherBlocks,
  root,
  section,
  shown,
} from "./readme-blocks.ts";
import { nameOf, outcomes } from "./readme-outcomes.ts";

/** Types lines into a shell, and runs them until they end. */
type Type = (...lines: readonly string[]) => Promise<Ended>;

/** A reader's folder with these files, a shell there, and nothing running: no Temporal, no worker. */
async function reader(files: Readonly<Record<string, string>>): Promise<{
  readonly folder: string;
  readonly type: Type;
}> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  onTestFinished(async () => await endSharedServers(folder));
  const { HOME, NODE_COMPILE_CACHE, PATH } = process.env;
  const env = {
    HOME,
    NODE_COMPILE_CACHE,
    // A system's own `node` may be older than ours.
    PATH: [dirname(process.execPath), PATH].join(delimiter),
  };
  const [alias = ""] = commands.filter((line) => line.startsWith("alias "));
  const head = ["shopt -s expand_aliases", `cd '${root}'`, alias, `cd '${folder}'`];
  const type: Type = async (...lines) => {
    const script = [...head, ...lines].join("\n");
    return await watch(spawn("bash", ["-c", script], { env })).ended;
  };
  return { folder, type };
}

/** A line of the README, with an address and a key in place of the reader's own. */
function withService(line: string, address: string): string {
  return line.replaceAll("https://…", address).replaceAll("KEY=…", "KEY=a-key-of-the-reader");
}

/** A service other than the sandbox of the reader's folder. */
async function service(): Promise<string> {
  const dataFolder = await temporaryFolder();
  const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
  onTestFinished(async () => await sandbox.close());
  return sandbox.address;
}

async function accountsAt(address: string): Promise<number> {
  const answer = await fetch(`${address}/_sandbox/records?stream=account`);
  return (await answer.text()).split("\n").filter((line) => line !== "").length;
}

/** Where a command is run that no test of the README can run. */
const elsewhere: Readonly<Record<string, readonly [file: string, names: string]>> = {
  "npm run demo": ["test/e2e/commands/demo.prove.ts", "shown.demo"],
  "npm run nightly": ["test/e2e/commands/nightly.prove.ts", "tools/nightly.mjs"],
  // A test cannot run the tests: each change runs these.
  "npm run check": [".ci/run", "npm run --silent check"],
  "npm test": [".ci/run", "npm test"],
  // It would remove dist/ while other tests use it.
  "npm run build": ["tools/set-up.mjs", '"build"'],
  // They take hours: their last output is among the proofs.
  "npm run prove": ["docs/proof/tests.md", "npm run prove"],
  "npm run bench": ["docs/proof/fast-path.md", "npm run bench"],
};

describe("what the README says to type", () => {
  it("is each run by a test, as is each output that it shows", () => {
    const run = [...commandsIn(section("Your own file")), ...Object.keys(outcomes)];
    expect(commands.map(nameOf).toSorted()).toEqual([...run, ...Object.keys(elsewhere)].toSorted());
    expect(otherBlocks).toEqual([]);
  });

  it.each(Object.entries(elsewhere))("is run elsewhere: %s", (_, [file, names]) => {
    expect(readFileSync(join(root, file), "utf8")).toContain(names);
  });
});

describe("the README, as its reader goes through it", () => {
  it("checks, shows and sends a file of the reader's own, and then what changed in it", async () => {
    const { folder, type } = await reader({
      "customers.csv": shown.csv,
      "sluice.yaml": shown.yaml,
    });
    const text = section("Your own file");

    const validated = await type("sluice validate");
    expect([validated.code, validated.stdout + validated.stderr]).toEqual([
      exitCodes.done,
      expect.stringContaining("is fine"),
    ]);

    const previewed = await type("sluice preview customers");
    expect(previewed.stdout + previewed.stderr).toBe(shown.preview);
    expect(previewed.code).toBe(exitCodes.doneWithRejects);

    expect(text).toContain(`the exit code is ${exitCodes.doneWithRejects}:`);
    const first = await type("sluice run customers");
    expect(missing(shown.run, first.stdout)).toEqual([]);
    expect(first.code).toBe(exitCodes.doneWithRejects);

    const again = await type("sluice run customers");
    expect(again.stdout).toContain(/Run it again: `([^`]+)`/.exec(text)?.[1] ?? "what it says");
    await writeFile(join(folder, "customers.csv"), shown.csv.replace("a dozen", "12"));
    const mended = await type("sluice run customers");
    expect(mended.stdout).toContain("sent 1 + unchanged 2");

    // Records at one service do not count as sent to another.
    const address = await service();
    const typed = commandsIn(text).filter((line) => !line.startsWith("alias "));
    expect(typed).toHaveLength(3);
    const sent = await type(...typed.map((line) => withService(line, address)));
    expect(sent.stdout).toContain("sent 3 + unchanged 0");
    expect(sent.code).toBe(exitCodes.doneWithRejects);
    expect(await accountsAt(address)).toBe(3);
  });
});
