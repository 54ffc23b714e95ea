import { reportReasonsMax } from "../limits.ts";
import { openHold } from "../state/contract/runs/holds.ts";
import type { Run } from "../state/contract/runs/runs.ts";
import { sumOf } from "../state/contract/sends/under-way.ts";
import type { StateStore } from "../state/state-store.ts";
import { buildReport, type RunReport } from "./report.ts";

/** The report of a run: as it closed, or its current state if it continues. */
export async function reportOfRun(state: StateStore, run: Run): Promise<RunReport> {
  const { runId } = run;
  const tally = await state.tally({ runId, staged: false });
  // A held run has sent nothing: a person asks for what it would send.
  const held = openHold(run) === undefined ? undefined : await state.tally({ runId, staged: true });
  const reasons = await state.rejectReasons({ runId, limit: reportReasonsMax });
  const pull = await state.pullTally({ runId });
  const open = run.endedAt === null ? await state.openStagings({ runId }) : [];
  const underWay = open.length === 0 ? undefined : sumOf(open);
  const hasEnded = run.endedAt !== null && pull === undefined;
  const givenUp = hasEnded ? await state.givenUp({ runId }) : undefined;
  const changes = held?.changes ?? tally.changes;
  const told = { ...tally, changes };
  return buildReport({ run, nowMs: state.now(), tally: told, reasons, pull, underWay, givenUp });
}
