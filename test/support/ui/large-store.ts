import type { RejectEntry } from "../../../src/state/contract/rejects/rejects.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { writePastRun } from "./history.ts";

const rejectsOfRun = 100;
const syncs = ["accounts", "contacts", "signups"];
const codes = ["required", "not_email", "too_large", "not_date"];

function rejectsIn(run: number): RejectEntry[] {
  return Array.from({ length: rejectsOfRun }, (_, at) => ({
    stream: "account",
    place: `accounts.csv:${at}`,
    key: `k${run}-${at}`,
    step: "map",
    code: codes[at % codes.length] ?? "required",
    reason: "is not as it should be",
    row: `{"id":"k${run}-${at}"}`,
  }));
}

/** Writes runs of three syncs into a store, a minute apart until now, each with 100 open rejects. */
export async function writeManyRuns(
  state: StateStore,
  { target, runs }: { readonly target: string; readonly runs: number },
): Promise<void> {
  const startedMs = Date.now() - runs * 60_000;
  const counts = { read: 1_000, records: 0, unchanged: 900, filtered: 0, rejected: rejectsOfRun };
  for (let run = 0; run < runs; run++) {
    const chunk = { counts, rejects: rejectsIn(run), beganMs: 0, committedMs: 10 };
    await writePastRun(state, {
      runId: `run-${run}`,
      target,
      sync: syncs[run % syncs.length] ?? "",
      startedMs: startedMs + run * 60_000,
      chunks: [chunk],
      end: { outcome: "done_with_rejects", afterMs: 20 },
    });
  }
}
