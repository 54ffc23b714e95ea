import { expect, it } from "vitest";

import type { askTemporal } from "../../../../src/cli/running/ask-temporal.ts";
import { lookAtProject } from "../../../../src/cli/status/look.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";

function ignore(): void {}

it("knows for which time a run was begun, though the store's clock was behind Temporal's then", async () => {
  const yaml = accountsYaml('schedule: { at: "02:30", time_zone: UTC }');
  const { deps, folder } = await Harness.open({ yaml });
  const { config, state } = deps;
  const undated: unknown[] = [];
  const textAfter = async (
    runId: string,
    at: string,
    nominalAt?: string,
  ): Promise<string | undefined> => {
    const ids = { runId, workflowId: runId, firstRunId: runId, temporalId: "t", configHash: "c" };
    const of = { sync: "accounts", target: deps.target, kind: "sync", request: {} } as const;
    await state.openRun({ ...ids, ...of, nominalAt, startedAt: at });
    await state.endRun({ runId, outcome: "done", endedAt: at });
    const environment = readEnvironment({});
    const context = { cwd: folder, environment, print: ignore, say: ignore, exit: ignore };
    const told = {
      runs: new Map(),
      elsewhere: new Set<string>(),
      schedules: new Map(),
      silent: undefined,
    };
    const whatTemporalSays: typeof askTemporal = async (asked) => {
      undated.push(asked.undated);
      return await Promise.resolve(told);
    };
    const { transfers } = await lookAtProject({ state, config, context, whatTemporalSays });
    return transfers[0]?.problem?.text;
  };
  const hoursAgo = (hours: number): string =>
    new Date(state.now() - hours * 3_600_000).toISOString();
  expect(await textAfter("run-1", hoursAgo(30))).toMatch(/scheduled runs? did not happen since/);
  expect(await textAfter("run-2", hoursAgo(11), hoursAgo(0))).toBeUndefined();
  // After a run that a person began it matters since when the schedule is there.
  expect(undated).toEqual([["accounts"], []]);
});
