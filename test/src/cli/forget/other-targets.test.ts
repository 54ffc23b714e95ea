import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { registerForget } from "../../../../src/cli/forget/forget.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const canary = "canary-5b91";

const yaml = accountsYaml("pii: { rejects: keep }");

/** The same project at another account. */
const elsewhere = yaml.replace("api:\n", "api:\n  account: another\n");

/** A project that has sent a row of the key, and rejected two. */
async function withRows(): Promise<Harness> {
  const rows = [`${canary},a.example,A`, "b,b.example,B", `${canary},c.example,C`, `${canary},d`];
  const files = { "accounts.csv": ["id,domain,name", ...rows, ""].join("\n") };
  const harness = await Harness.open({ yaml, files });
  await (await TestRun.open(harness)).transfer();
  return harness;
}

async function forget(harness: Harness, ...more: readonly string[]): Promise<string> {
  const args = ["forget", "accounts", canary, "--yes", ...more];
  return (await runVerb(registerForget, harness, args)).out.join("\n");
}

/** The files of the state folder that hold the key, and all that are staged. */
async function kept({ deps }: Harness): Promise<readonly string[]> {
  const { stateFolder } = deps.config;
  const names = await readdir(stateFolder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of names.filter((name) => name.isFile())) {
    const path = join(file.parentPath, file.name);
    if (path.endsWith(".gz") || (await readFile(path)).includes(canary)) found.push(path);
  }
  return found;
}

describe("sluice forget of a key that was sent to another service or account before", () => {
  it("leaves nothing of it in any byte of the state folder", async () => {
    const before = await withRows();
    const staged = join(before.deps.stagingFolder, "run-1");
    await mkdir(staged, { recursive: true });
    const line = `{"type":"account","account_id":"${canary}"}\n`;
    await writeFile(join(staged, "chunk-1.stage-1.jsonl.gz"), gzipSync(line));
    const harness = await before.withYaml(elsewhere);
    expect(harness.deps.target).not.toBe(before.deps.target);
    expect(await kept(harness)).not.toEqual([]);
    const forgotten: unknown = JSON.parse(await forget(harness, "--json"));
    expect(forgotten).toMatchObject({ fingerprints: 1, rejects: 2, staged_files: 1 });
    expect(await kept(harness)).toEqual([]);
  });

  it("erases the rest while a run of it is open, and names it", async () => {
    const before = await withRows();
    const run = await TestRun.open(before, { runId: "run-2" });
    const harness = await before.withYaml(elsewhere);
    await (await TestRun.open(harness, { runId: "run-3" })).transfer();
    const [erased = "", unreached] = (await forget(harness)).split("not within reach");
    expect(erased).toContain("1 fingerprint");
    expect(erased).toContain("2 rejects");
    const why = "sync accounts is held by run run-2 (workflow wf-run-2)";
    expect(unreached).toContain(
      `what is kept for ${before.deps.target}, as ${why}: run the command again when that is over`,
    );
    await run.close({ outcome: "cancelled" });
    expect(await forget(harness)).toContain("2 rejects");
    expect(await kept(harness)).toEqual([]);
  });

  it("names its checkpoint, where the key is in it", async () => {
    const before = await withRows();
    const { state, target } = before.deps;
    const name = { target, sync: "accounts" };
    const { version } = await state.checkpoint(name);
    const position = { after: ["2026", canary] };
    const how = { reason: "a test", at: "2026-01-01T00:00:00.000Z" };
    await state.setCheckpoint({ ...name, version, position, ...how });
    expect(await forget(await before.withYaml(elsewhere))).toContain(
      `the checkpoint for ${target}, until \`sluice state reset accounts --target "${target}" --reason …\``,
    );
  });
});
