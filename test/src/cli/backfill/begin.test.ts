import { expect, it, onTestFinished } from "vitest";

import { backfillId } from "../../../../src/backfill/template.ts";
import { begin } from "../../../../src/cli/backfill/begin.ts";
import { resetSync } from "../../../../src/cli/status/reset.ts";
import { until } from "../../../support/process/process.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

it("a backfill that a reset ended in the store is stopped, and another one begins", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const own = await ownNamespace(harness.folder);
  onTestFinished(async () => await own.close());
  const { state, target, temporalId } = harness.deps;
  const workflowId = backfillId({ sync: "accounts", taskQueue: "sluice" });
  const left = await own.client.workflow.start("backfill", { taskQueue: "sluice", workflowId });
  const { firstExecutionRunId: firstRunId } = left;
  const at = "2026-01-01T00:00:00.000Z";
  const run = { runId: "backfill-1", sync: "accounts", kind: "backfill", target } as const;
  const opened = { configHash: "", request: {}, startedAt: at, temporalId };
  await state.openRun({ ...run, ...opened, workflowId, firstRunId });
  await resetSync(state, { target, sync: "accounts" }, { reason: "anew", at });

  const found = { uiAddress: undefined, isEmbedded: false, isFound: true };
  const temporal = { ...found, address: own.address, release: own.close };
  const workers = { hasOtherWorker: true, hasLastingWorker: true };
  const session = { ...harness.deps, ...own, temporal, ...workers };
  const wanted = { input: { sync: "accounts", approve: "ask" as const }, isMoreAsked: false };
  const said: string[] = [];
  const begun = begin(session, wanted, { say: (text) => void said.push(text) });
  // In place of its worker, which would end it so.
  await Promise.race([
    begun,
    until(async () => {
      const { events } = await left.fetchHistory();
      return events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes);
    }),
  ]);
  await left.terminate();
  expect((await begun).firstRunId).not.toBe(firstRunId);
  expect(said).toEqual([`backfill of accounts started: workflow ${workflowId}`]);
});
