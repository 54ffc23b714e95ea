import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { driveEach, followToEnd } from "../../../../src/cli/running/drive.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import type { RunReport } from "../../../../src/report/report.ts";
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

it("runs of several that an interruption left out are named, and end as interrupted", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const own = await ownNamespace(harness.folder);
  onTestFinished(async () => await own.close());
  const said: string[] = [];
  const codes: unknown[] = [];
  const silent = { cwd: harness.folder, environment: readEnvironment({}), print: () => undefined };
  const say = (text: string): void => void said.push(text);
  const context = { ...silent, say, exit: (code: unknown) => void codes.push(code) };
  const found = { uiAddress: undefined, isEmbedded: false, isFound: true };
  const temporal = { ...found, address: own.address, release: own.close };
  const workers = { hasOtherWorker: true, hasLastingWorker: true };
  const session = { ...harness.deps, ...own, temporal, ...workers };
  const drive = { kind: "sync", lock: "accounts", doing: "sent", command: "sluice run" } as const;
  const run = {
    ...drive,
    workflow: "sync",
    input: {},
    asked: [],
    shareOf: () => async () => undefined,
  };
  await driveEach(
    session,
    [
      { ...run, name: "accounts" },
      { ...run, name: "contacts" },
    ],
    {
      context,
      options: { wait: true },
      signal: AbortSignal.abort(),
    },
  );
  expect(said).toEqual([
    "interrupted before the run of accounts began",
    "interrupted before the run of contacts began",
  ]);
  expect(codes).toEqual([130, 130]);
  expect((await own.client.workflow.count()).count).toBe(0);
});
