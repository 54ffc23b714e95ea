import type { Client } from "@temporalio/client";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { driveEach, followToEnd, type DriveOptions } from "../../../../src/cli/running/drive.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { sendLock, type LockHolder } from "../../../../src/state/contract/runs/locks.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { reportWith } from "../../../support/project/report.ts";
import { TestRun } from "../../../support/project/test-run.ts";
import { ending, endingWorker } from "../../../support/temporal/ending-worker.ts";
import { ownNamespace, type OwnTemporal } from "../../../support/temporal/own-namespace.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Follows a workflow of a project to its end, or until `signal` aborts; returns what is printed and said. */
async function followed(
  { deps, folder }: Harness,
  { client }: OwnTemporal,
  signal: AbortSignal,
): Promise<string> {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const environment = readEnvironment({});
  const context = { cwd: folder, environment, print: say, say, exit: () => undefined };
  const options = { taskQueue: "sluice", workflowId: "sync-accounts", args: [] };
  const handle = await client.workflow.start("sync", options);
  const session = { ...deps, client, hasOtherWorker: true, hasLastingWorker: false };
  const how = { context, options: { wait: true }, signal };
  await followToEnd(session, { handle, share: async () => undefined }, how);
  return lines.join("\n");
}

it("a report names the place of the checkpoint as its run left it, and not as another has moved it", async () => {
  const files = { "accounts.csv": accountsCsv(3) };
  const harness = await Harness.open({ yaml: accountsYaml(), files });
  await (await TestRun.open(harness)).transfer();
  const printed = async (checkpoint: RunReport["checkpoint"]): Promise<string> => {
    const worker = await endingWorker(harness, ending.completed(reportWith({ checkpoint })));
    return await followed(harness, worker, new AbortController().signal);
  };
  const { state, target } = harness.deps;
  const move = async (version: number, position: unknown): Promise<unknown> => {
    const change = { version, position, reason: "test", at: "2026-01-01T00:00:00.000Z" };
    return await state.setCheckpoint({ target, sync: "accounts", ...change });
  };
  await move(1, { line: 7 });
  const checkpoint = { before: 1, after: 2 };
  expect(await printed(checkpoint)).toMatch(/checkpoint  version 1 → 2: \{"line":7\}$/m);
  await move(2, { line: 9 });
  expect(await printed(checkpoint)).toMatch(/checkpoint  version 1 → 2$/m);
});

it("a run that is interrupted beside the worker of another command is not said to continue", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const own = await ownNamespace(harness.folder);
  onTestFinished(async () => await own.close());
  expect(await followed(harness, own, AbortSignal.abort())).toBe(
    "interrupted; the same command continues with it",
  );
});

/** Drives runs of syncs in a Temporal of their own, beside the worker of another command or alone. */
async function driving(
  harness: Harness,
  { hasOtherWorker }: { readonly hasOtherWorker: boolean },
): Promise<{
  readonly client: Client;
  /** Lines that were printed, and that were said. */
  readonly printed: readonly string[];
  readonly said: readonly string[];
  readonly codes: readonly unknown[];
  readonly drive: (
    names: readonly string[],
    how: DriveOptions & { readonly signal: AbortSignal },
  ) => Promise<void>;
}> {
  const own = await ownNamespace(harness.folder);
  onTestFinished(async () => await own.close());
  const said: string[] = [];
  const codes: unknown[] = [];
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const say = (text: string): void => void said.push(text);
  const here = { cwd: harness.folder, environment: readEnvironment({}) };
  const context = { ...here, print, say, exit: (code: unknown) => void codes.push(code) };
  const found = { uiAddress: undefined, isEmbedded: false, isFound: true };
  const temporal = { ...found, address: own.address, release: own.close };
  const workers = { hasOtherWorker, hasLastingWorker: true };
  const session = { ...harness.deps, ...own, temporal, ...workers };
  const run = {
    kind: "sync",
    doing: "sent",
    command: "sluice run",
    workflow: "sync",
    input: {},
    asked: [],
    shareOf: () => async () => undefined,
  } as const;
  const drive = async (
    names: readonly string[],
    { signal, ...options }: DriveOptions & { readonly signal: AbortSignal },
  ): Promise<void> => {
    const drives = names.map((name) => ({
      ...run,
      name,
      lock: sendLock(harness.deps.target, name),
    }));
    await driveEach(session, drives, { context, options, signal });
  };
  return { client: own.client, printed, said, codes, drive };
}

it("runs of several that an interruption left out are named, and end as interrupted", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { client, said, codes, drive } = await driving(harness, { hasOtherWorker: true });
  await drive(["accounts", "contacts"], { wait: true, signal: AbortSignal.abort() });
  expect(said).toEqual([
    "interrupted before the run of accounts began",
    "interrupted before the run of contacts began",
  ]);
  expect(codes).toEqual([130, 130]);
  expect((await client.workflow.count()).count).toBe(0);
});

/** Has a workflow of this type, which nobody works at, hold the lock of accounts. */
async function hold(
  { deps: { state, target } }: Harness,
  client: Client,
  kind: string,
): Promise<LockHolder> {
  const workflowId = `${kind}-accounts`;
  const holding = await client.workflow.start(kind, { taskQueue: "sluice", workflowId });
  const { firstExecutionRunId: firstRunId } = holding;
  const at = "2026-01-01T00:00:00.000Z";
  const name = sendLock(target, "accounts");
  const holder = { workflowId, firstRunId, runId: `${kind}-1`, kind };
  await state.takeLock({ name, ...holder, at });
  return holder;
}

it.each([
  { kind: "resend", hasOtherWorker: false },
  { kind: "resend", hasOtherWorker: true },
  { kind: "backfill", hasOtherWorker: false },
  { kind: "backfill", hasOtherWorker: true },
])(
  "a run begins, and waits for the lock of a $kind (another worker: $hasOtherWorker)",
  async (of) => {
    const { kind, hasOtherWorker } = of;
    const harness = await Harness.open({ yaml: accountsYaml() });
    const { client, said, codes, drive } = await driving(harness, { hasOtherWorker });
    await hold(harness, client, kind);
    await drive(["accounts"], { wait: false, signal: new AbortController().signal });
    expect(said).toEqual([
      expect.stringMatching(/^run of accounts started: workflow sync-accounts-/),
    ]);
    expect(codes).toEqual([]);
  },
);

/** Stores a run of accounts, as its workflow would. */
async function openRun(
  { deps: { state, target, temporalId } }: Harness,
  { runId, workflowId, firstRunId }: Pick<LockHolder, "firstRunId" | "runId" | "workflowId">,
): Promise<void> {
  const run = { runId, sync: "accounts", kind: "sync", target, temporalId } as const;
  const at = { configHash: "", request: {}, startedAt: "2026-01-01T00:00:00.000Z" };
  await state.openRun({ ...run, ...at, workflowId, firstRunId });
}

it("a run that was interrupted while it waited for the lock of a backfill is continued with", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { client, said, drive } = await driving(harness, { hasOtherWorker: false });
  await hold(harness, client, "backfill");
  const options = { taskQueue: "sluice", workflowId: "sync-accounts-1" };
  const { firstExecutionRunId: firstRunId } = await client.workflow.start("sync", options);
  await openRun(harness, { runId: "accounts-1", workflowId: options.workflowId, firstRunId });
  await drive(["accounts"], { wait: false, signal: new AbortController().signal });
  expect(said).toEqual(["continuing with run accounts-1, which was interrupted"]);
});

it("a run that is held is not said to have been started, where nobody waits for it", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { client, printed, codes, drive } = await driving(harness, { hasOtherWorker: true });
  const holder = await hold(harness, client, "sync");
  await openRun(harness, holder);
  const since = "2026-01-01T00:00:00.000Z";
  const held = { number: 1, digest: "", since, broken: [], approvedAt: null };
  await harness.state.setHold({ runId: holder.runId, hold: held });
  await drive(["accounts"], { wait: false, json: true, signal: new AbortController().signal });
  expect(printed).toEqual(['{"workflow_id":"sync-accounts","held":true}']);
  expect(codes).toEqual([5]);
});
