import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { sendLock } from "../../../../src/state/contract/runs/locks.ts";
import { openSqliteStore } from "../../../../src/state/sqlite/open.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const output = new URL("../../../../src/cli/output/output.ts", import.meta.url).href;
const program = fileURLToPath(new URL("../../../../src/cli/main.ts", import.meta.url));

it("does not end a command whose progress nobody reads any more", async () => {
  const code = `
    import { endWithPipe, output } from ${JSON.stringify(output)};
    endWithPipe();
    process.stdin.once("data", () => {
      output.say("1 row read");
      setTimeout(() => output.exit(3), 50);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  child.stderr.destroy();
  child.stdin.end("go\n");
  expect(await once(child, "exit")).toEqual([3, null]);
});

/** How a command ends that prints a line, and a second one after its reader has left; it would end with 3. */
async function endWithoutReader(statement: string): Promise<unknown> {
  const code = `
    import { endWithPipe, outliveReader, output } from ${JSON.stringify(output)};
    endWithPipe();
    ${statement}
    process.stdin.once("data", () => {
      output.print("a: failed");
      setTimeout(() => output.print("b: done"), 50);
      setTimeout(() => output.exit(3), 100);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  child.stdout.destroy();
  child.stdin.end("go\n");
  return await once(child, "exit");
}

it("ends a list once nobody reads it", async () => {
  expect(await endWithoutReader("void outliveReader;")).toEqual([0, null]);
});

it("does not end what moves data once nobody reads its reports", async () => {
  expect(await endWithoutReader("outliveReader();")).toEqual([3, null]);
});

it.each([
  { words: ["reset", "--reason", "all again"], found: { version: 1 } },
  { words: ["rebind"], found: { account: true } },
])("sluice state $words.0 has done its work for every sync, whoever reads of it", async (how) => {
  const folder = await temporaryFolder();
  const syncs = ["one", "two", "three", "four", "five", "six"];
  const record = "{ account_id: id, domain: domain, account_properties: {} }";
  const members = `{ from: file, stream: account, record: ${record} }`;
  const head = `version: 1
api: { base_url: sandbox, legacy_base_url: sandbox, api_key: key }
connections: { file: { connector: csv, path: ./accounts.csv } }
syncs:
`;
  const yaml = `${head}${syncs.map((name) => `  ${name}: ${members}\n`).join("")}`;
  await writeFile(join(folder, "sluice.yaml"), yaml);
  const child = spawn(process.execPath, [program, "state", ...how.words], { cwd: folder });
  child.stdout.destroy();
  expect(await once(child, "exit")).toEqual([0, null]);
  const store = await openSqliteStore(join(folder, ".sluice"));
  const done = await Promise.all(
    syncs.map(async (sync) => {
      const { version } = await store.checkpoint({ target: "sandbox", sync });
      const { account } = await store.identities({ holder: sendLock("sandbox", sync) });
      return { version, account: account !== undefined };
    }),
  );
  await store.close();
  expect(done).toMatchObject(syncs.map(() => how.found));
});

it("says once that what it prints cannot be written, goes on, and ends with 1", async () => {
  const code = `
    import { endWithPipe, output } from ${JSON.stringify(output)};
    endWithPipe();
    output.print("a report");
    setTimeout(() => {
      output.print("more of it");
      output.say("1 row read");
      output.exit(0);
    }, 50);`;
  const command = 'exec "$0" --input-type=module -e "$1" >/dev/full';
  const child = spawn("sh", ["-c", command, process.execPath, code]);
  const [told, ended] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(told.split("\n")).toEqual([
    expect.stringMatching(
      /^sluice: the output of this command could not be written: ENOSPC: no space/,
    ),
    expect.stringContaining("Free space where its output goes"),
    "sluice: 1 row read",
    "",
  ]);
  expect(ended).toEqual([1, null]);
});
