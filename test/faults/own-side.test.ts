import {
  appendFile,
  mkdir,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { stagedFile } from "../../src/staging/folder.ts";
import { until } from "../support/process/process.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../support/project/harness.ts";
import { openedRun, runOver, stageAll, stagedRun, TestRun } from "../support/project/test-run.ts";

describe("row 39: a file key that another part was given", () => {
  it("stops the run before its file is overwritten", async () => {
    const run = await runOver(accountsCsv(2_000), { sync: ["chunk: { records: 1000 }"] });
    const { harness } = run;
    const [first, second] = (await stageAll(run)).map((chunk) => run.part(chunk));
    if (first === undefined || second === undefined) throw new Error("two chunks were expected");
    const { uploadFile, confirmUpload } = harness.activities;
    const { fileKey } = await harness.perform(uploadFile, first);
    harness.sandbox.order("generate-upload-url", { sameKey: true });
    expect(await failureOf(harness.perform(uploadFile, second))).toMatchObject({
      type: "ContractBroken",
      nonRetryable: true,
    });
    expect(await harness.sandbox.ledger("put")).toHaveLength(1);
    await harness.perform(confirmUpload, { ...first, fileKey });
    expect(await harness.sandbox.recordsTaken()).toBe(1_000);
  });
});

const spoilings: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ["was cut short", async (file) => await truncate(file, 20)],
  [
    "holds other bytes",
    async (file) => await writeFile(file, Buffer.alloc((await stat(file)).size)),
  ],
  ["is gone", async (file) => await rm(file)],
];

describe.each(["file", "body"] as const)("row 41: a staged file, sent as a %s,", (form) => {
  // A body is built from the staged lines, whatever comes after them.
  const grown = ["has grown", async (file: string) => await appendFile(file, "more")] as const;
  const faults = form === "file" ? [...spoilings, grown] : spoilings;
  it.each(faults)("that %s is staged again, and what it holds is not sent", async (_, spoil) => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    await spoil(stagedFile(harness.deps.stagingFolder, run.part(chunk)));
    const failure = await run.attemptPart(run.part(chunk), form);
    expect(failure).toMatchObject({ type: "StagedFileMissing", nonRetryable: true });
    expect(await harness.sandbox.recordsTaken()).toBe(0);
    const again = await run.stage();
    await run.send(again, form);
    await run.commit(again);
    expect(await run.close()).toMatchObject({ counts: { sent: 5 }, possibly_repeated: 0 });
  });
});

/** The message with which the run stops at a staging fault, after two attempts that were retried. */
async function thirdTime(attempt: () => Promise<unknown>): Promise<string> {
  for (const time of [1, 2]) {
    const failure = await failureOf(attempt());
    expect([time, failure]).toMatchObject([time, { type: "Unavailable", nonRetryable: false }]);
    expect(failure.nextRetryDelay).toBeGreaterThanOrEqual(1_000);
    expect(failure.nextRetryDelay).toBeLessThanOrEqual(1_000 * 2 ** time);
  }
  const last = await failureOf(attempt());
  expect(last).toMatchObject({ type: "ConfigError", nonRetryable: true });
  expect(last.message).toMatch(/, 3 times; \d+ bytes are free there$/);
  expect(last.details).toEqual([expect.objectContaining({ field: "state" })]);
  return last.message;
}

describe("row 42: a staging folder", () => {
  it("that cannot be written is tried three times, then the run stops and names the free space", async () => {
    const run = await openedRun();
    const { stagingFolder } = run.harness.deps;
    await mkdir(stagingFolder, { recursive: true });
    await writeFile(join(stagingFolder, run.opened.runId), "in the way");
    expect(await thirdTime(async () => await run.stage())).toMatch(/EEXIST|ENOTDIR/);
  });

  it("that cannot be read is tried three times by a PUT, then the run stops", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const file = stagedFile(harness.deps.stagingFolder, run.part(chunk));
    await rm(file);
    await symlink(file, file);
    const { uploadFile } = harness.activities;
    const attempt = async (): Promise<unknown> =>
      await harness.perform(uploadFile, run.part(chunk));
    expect(await thirdTime(attempt)).toContain("ELOOP");
    expect(await harness.sandbox.ledger("put")).toEqual([]);
  });
});

/** A mapping module that ends its thread once there is a file beside it. */
const endingOnceAsked = `import { rmSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
if (!isMainThread) setInterval(() => {
  try {
    rmSync(new URL("end", import.meta.url));
  } catch {
    return;
  }
  process.exit(7);
}, 20);
export function mapRecord({ id, domain }: Record<string, string>) {
  return { account_id: id, domain, account_properties: { name: "A" } };
}
`;

describe("row 44: a staging thread", () => {
  it("that dies again and again is started three times, then the run stops", async () => {
    const yaml = accountsYaml().replace(/record:[^]*$/, "record: ./map.ts\n");
    const dying = "export function mapRecord() { process.exit(7); }\n";
    const files = { "accounts.csv": accountsCsv(1), "map.ts": dying };
    const run = await TestRun.open(await Harness.open({ yaml, files, hasThreads: true }));
    expect(await thirdTime(async () => await run.stage())).toContain("died: exit code 7");
  });

  it(
    "that a mapping module ends between two jobs is given no job",
    { timeout: 30_000 },
    async () => {
      const yaml = accountsYaml().replace(/record:[^]*$/, "record: ./map.ts\n");
      const files = { "accounts.csv": accountsCsv(1), "map.ts": endingOnceAsked };
      const harness = await Harness.open({ yaml, files, hasThreads: true });
      const run = await TestRun.open(harness);
      await run.stage();
      await harness.write("end", "");
      await until(async () => !(await readdir(harness.folder)).includes("end"));
      // A job that came between the module's call and the end of its thread fails, and is tried again.
      const again = await run.stage().catch(async () => await run.stage());
      expect(again).toMatchObject({ records: 1 });
    },
  );
});
