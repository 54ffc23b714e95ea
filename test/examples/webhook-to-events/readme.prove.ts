import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { sandboxPortDefault, webhooksPortDefault } from "../../../src/cli/limits.ts";
import { end, endSharedServers, until, watch, type Ended } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { bin } from "../../support/project/project.ts";

const example = fileURLToPath(new URL("../../../examples/webhook-to-events", import.meta.url));
const readme = readFileSync(join(example, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text);

const readyLine = z.object({ sandbox: z.string(), receiver: z.string() });

const statusJson = z.object({ inboxes: z.array(z.looseObject({ waiting: z.int() })) });

/** The servers' addresses in a running example: its README names fixed ports, which may be taken here. */
type Ready = z.output<typeof readyLine>;

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
const env = { PATH, HOME, NODE_COMPILE_CACHE };

/** Copies the example and starts what its README says; everything ends with the test. */
async function dev(): Promise<Ready & { readonly folder: string }> {
  const folder = join(await temporaryFolder(), "example");
  await cp(example, folder, { recursive: true, filter: (path) => !path.includes(".sluice") });
  const child = spawn(process.execPath, [bin, "dev", "--json"], { cwd: folder, env });
  const { printed, ended } = watch(child);
  onTestFinished(async () => {
    await end(child, "SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    await endSharedServers(folder);
  });
  const line = await until(async () => {
    if (child.exitCode !== null) throw new Error(`dev ended: ${printed().stderr}`);
    return await Promise.resolve(/^\{.*\}$/m.exec(printed().stdout)?.[0]);
  });
  return { ...readyLine.parse(JSON.parse(line)), folder };
}

/** Runs a block of the README as written, except for the addresses and paths. */
async function run(block: string, { folder, sandbox, receiver }: Awaited<ReturnType<typeof dev>>) {
  const script = block
    .replaceAll("../../bin/sluice.js", bin)
    .replaceAll(`http://127.0.0.1:${webhooksPortDefault}`, receiver)
    .replaceAll(`http://127.0.0.1:${sandboxPortDefault}`, sandbox)
    .replaceAll("--connection forms", `--connection forms --url ${receiver}/hooks/forms`);
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: folder, env });
  return await watch(child).ended;
}

/** How many records of a stream the sandbox has. */
async function count({ sandbox }: Ready, stream: string): Promise<number> {
  const { body } = await request(`${sandbox}/_sandbox/records?stream=${stream}`);
  return (await body.text()).trimEnd().split("\n").filter(Boolean).length;
}

describe("examples/webhook-to-events", () => {
  it("does what its README says, command by command", async () => {
    const ready = await dev();
    const ended: Ended[] = [];
    const [send, curl, three, twice, look] = blocks;
    for (const block of [send, curl, three, twice]) ended.push(await run(block ?? "", ready));
    const printed = ended.map(({ stdout }) => stdout);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(printed[0]).toBe("202: 1 event kept\n");
    expect(printed[1]).toMatch(/^HTTP\/1\.1 202 [^]*\{"kept":1\}$/);
    expect(printed[2]).toBe("202: 3 events kept\n");
    expect(printed[3]).toBe("202: 1 event kept\n200: it had come before: nothing was kept twice\n");
    await until(async () => {
      const status = await run("node ../../bin/sluice.js status --json", ready);
      return statusJson.parse(JSON.parse(status.stdout)).inboxes[0]?.waiting === 0;
    });
    expect(await count(ready, "contact")).toBe(4);
    expect(await count(ready, "contact_event")).toBe(4);
    const { code, stdout } = await run(look ?? "", ready);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^forms +\/hooks\/forms +0 +-/m);
    expect(stdout).toMatch(/^forms#5: contact_id is not an e-mail address \(key sub_1005\)$/m);
    expect(stdout).toContain('"contact_id":"ada@lovelace.example"');
    expect(stdout).toContain('"event_id":"sub_1004"');
    expect(stdout).not.toContain('"event_id":"sub_1005"');
    for (const text of ["`202: 1 event kept`", "`202: 3 events kept`", "Four contacts"]) {
      expect(readme).toContain(text);
    }
  }, 180_000);
});
