import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";
import { PostedHarness } from "../../../support/webhooks/push.ts";

/** Runs a command of the command line. */
const command = `
const [folder, commander, address, register, ...args] = process.argv.slice(2);
const { Command } = await import(commander);
const program = new Command();
const { [register]: add } = await import(args.shift());
const { readEnvironment } = await import(args.shift());
add(program, {
  cwd: folder,
  environment: readEnvironment({ SLUICE_BASE_URL: address, SLUICE_API_KEY: "k", CRM_DATABASE_URL: "none" }),
  print: (text) => console.log(text),
  say: () => undefined,
  exit: () => undefined,
});
try { await program.parseAsync(args, { from: "user" }); } catch (error) { console.log(error.message); }
`;

const source = (path: string): string => new URL(`../../../../src/${path}`, import.meta.url).href;

/** The output of a command in a read-only folder; undefined if no disk may be mounted. */
function printed(folder: string, args: readonly string[]): string | undefined {
  const mount = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;
  const node = [
    process.execPath,
    join(folder, "command.mjs"),
    folder,
    import.meta.resolve("commander"),
    ...args,
  ];
  const [program, ...rest] = ["unshare", "-rm", "sh", "-c", mount, folder, ...node];
  const ran = spawnSync(program, rest, {
    encoding: "utf8",
    timeout: 60_000,
  });
  return /^(?:unshare|mount): /m.test(ran.stderr ?? "unshare: ") ? undefined : ran.stdout;
}

/** The output of commands in a read-only copy of a project's folder; each is named by its register function. */
async function printedIn(
  harness: Harness,
  commands: readonly (readonly [register: string, file: string, ...args: string[]])[],
): Promise<readonly (string | undefined)[]> {
  const folder = await temporaryFolder();
  await cp(harness.folder, folder, { recursive: true });
  await writeFile(join(folder, "command.mjs"), command);
  // As ended processes left it: no other files are next to the store and the inbox.
  openDatabase(join(folder, ".sluice", "state.db")).close();
  const inbox = inboxFileIn(join(folder, ".sluice"));
  if (existsSync(inbox)) openInboxDatabase(inbox).close();
  const environment = source("config/environment.ts");
  return commands.map(([register, file, ...args]) =>
    printed(folder, [harness.sandbox.address, register, source(file), environment, ...args]),
  );
}

it("explain, plan and preview need no state folder that can be written", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": accountsCsv(2) },
  });
  await (await TestRun.open(harness)).transfer();
  const said = await printedIn(harness, [
    ["registerExplain", "cli/run/explain.ts", "explain", "accounts", "--place", "accounts.csv:2"],
    ["registerPlan", "cli/plan/plan.ts", "plan", "accounts"],
    ["registerPreview", "cli/run/preview.ts", "preview", "accounts"],
  ]);
  const says = ["leaves it: it is as it was accepted", "unchanged 2", '"account_id":"a1"'];
  expect(said.map((text, at) => text?.includes(says[at] ?? "") ?? true)).toEqual([
    true,
    true,
    true,
  ]);
});

it("status, explain and preview need none either where events are pushed to", async () => {
  const pushed = await PostedHarness.open();
  await pushed.post("a1");
  await (await TestRun.open(pushed.harness, { kind: "inbox" })).transfer();
  await pushed.post("a2");
  const said = await printedIn(pushed.harness, [
    ["registerStatus", "cli/status/status.ts", "status"],
    ["registerExplain", "cli/run/explain.ts", "explain", "accounts", "--place", "forms#2"],
    ["registerPreview", "cli/run/preview.ts", "preview", "accounts"],
  ]);
  const says = [/forms +\/hooks\/forms +2 /, /sends it|is sent/, /"account_id":"a2"/];
  expect(
    said.map((text, at) => text === undefined || says[at]?.test(text) === true || text),
  ).toEqual([true, true, true]);
});
