import type { Counter, Histogram } from "prom-client";

import type { PermitAnswer, PermitRequest } from "../state/contract/rate-limit.ts";
import type { StateStore } from "../state/state-store.ts";

/** The metrics of store calls. */
export type StoreCallMetrics = {
  readonly seconds: Histogram;
  readonly permits: Counter<"result">;
  readonly waitSeconds: Counter;
};

/** Outcomes of a request for a permit. */
export const permitResults = ["at_once", "after_wait", "later", "blocked", "breaker"] as const;

function resultOf(answer: PermitAnswer): (typeof permitResults)[number] {
  if ("blocked" in answer) return "blocked";
  if ("failing" in answer) return "breaker";
  if (!answer.granted) return "later";
  return answer.waitMs > 0 ? "after_wait" : "at_once";
}

/** Wraps the store: times the calls of this thread, and counts permits. */
export function timedStore(state: StateStore, metrics: StoreCallMetrics): StateStore {
  const acquirePermit = async (request: PermitRequest): Promise<PermitAnswer> => {
    const answer = await state.acquirePermit(request);
    // After a wait, the same permit is checked again: that is not another request.
    if (request.held === undefined) {
      metrics.permits.inc({ result: resultOf(answer) });
      if ("granted" in answer && answer.granted) metrics.waitSeconds.inc(answer.waitMs / 1_000);
    }
    return answer;
  };
  return timed({ ...state, acquirePermit }, metrics.seconds);
}

/** Members that do not call the store. */
const isAtOnce: ReadonlySet<string> = new Set<keyof StateStore>(["now", "openPort"]);

function timed(state: StateStore, seconds: Histogram): StateStore;
function timed(state: object, seconds: Histogram): object {
  // An overload: a loop cannot prove to the compiler that each name keeps its own method.
  return Object.fromEntries(
    Object.entries(state).map(([name, member]: [string, unknown]) => {
      if (typeof member !== "function" || isAtOnce.has(name)) return [name, member];
      const ask = async (...input: unknown[]): Promise<unknown> => {
        const end = seconds.startTimer();
        try {
          return await Reflect.apply(member, state, input);
        } finally {
          end();
        }
      };
      return [name, ask];
    }),
  );
}
