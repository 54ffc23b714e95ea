import { z } from "zod";

import type { Database } from "./database.ts";
import { all, count, first } from "./database.ts";

const gateRow = z
  .object({
    /** `api:<hash of the key>`, `…:<family>` for credits, `put:<storage host>`. */
    gate: z.string(),
    /** Unix ms; null is open. */
    closedUntil: z.number().nullable(),
    why: z.string().nullable(),
  })
  .readonly();

/** A gate as a person reads it. */
export type GateState = z.output<typeof gateRow>;

/** What asking for a slot brings: a time to wait, after which the request may leave, or the gate that is closed. */
export type SlotAnswer =
  | { readonly waitMs: number; readonly granted: boolean }
  | { readonly closed: GateState };

/** One rate budget for all workers and all kinds of run, and the gates that a 429 closes. */
export interface BudgetStore {
  /**
   * Takes the next slot of `gate` (generic cell rate algorithm) unless one of `gates` is closed. A wait above
   * `waitMaxMs` is answered without taking the slot.
   */
  takeSlot(input: {
    readonly gate: string;
    readonly gates: readonly string[];
    readonly perSecond: number;
    readonly waitMaxMs: number;
    readonly nowMs: number;
  }): SlotAnswer;
  /** Closes a gate until the later of `untilMs` and what it was closed until. */
  closeGate(input: {
    readonly gate: string;
    readonly untilMs: number;
    readonly why: string;
    readonly nowMs: number;
  }): void;
  /** Opens gates that begin with `prefix`, whatever closed them; answers how many were closed. */
  reopenGates(input: { readonly prefix: string; readonly nowMs: number }): number;
  gates(input: { readonly prefix: string }): GateState[];
}

/** The rate budget of a SQLite store. */
export function createBudgetStore(db: Database): BudgetStore {
  const select = db.prepare(
    "select gate, closed_until as closedUntil, why from budget where gate = $gate",
  );
  const nextSlot = db.prepare("select next_slot from budget where gate = $gate");
  const setSlot = db.prepare(
    "insert into budget (gate, next_slot) values ($gate, $slot) on conflict do update set next_slot = excluded.next_slot",
  );
  const close = db.prepare(
    `insert into budget (gate, closed_at, closed_until, why) values ($gate, $nowMs, $untilMs, $why)
     on conflict do update set closed_at = excluded.closed_at, why = excluded.why,
       closed_until = max(excluded.closed_until, coalesce(closed_until, 0))`,
  );
  const isOfPrefix = "substr(gate, 1, length($prefix)) = $prefix";
  const list = db.prepare(
    `select gate, closed_until as closedUntil, why from budget where ${isOfPrefix} order by gate`,
  );
  const reopen = db.prepare(
    `update budget set closed_at = null, closed_until = null, why = null
     where ${isOfPrefix} and closed_until > $nowMs`,
  );
  return {
    takeSlot: ({ gate, gates, perSecond, waitMaxMs, nowMs }) =>
      db.write((): SlotAnswer => {
        for (const name of gates) {
          const found = first(gateRow, select, { gate: name });
          if ((found?.closedUntil ?? 0) > nowMs && found !== undefined) return { closed: found };
        }
        // No slot is ever given further ahead: a later one was taken before the clock stepped back.
        const next = count(nextSlot, { gate });
        const latest = nowMs + waitMaxMs + 1_000 / perSecond;
        const slot = next > latest ? nowMs : Math.max(nowMs, next);
        const waitMs = slot - nowMs;
        if (waitMs > waitMaxMs) return { waitMs, granted: false };
        setSlot.run({ gate, slot: slot + 1_000 / perSecond });
        return { waitMs, granted: true };
      }),
    closeGate: (input) =>
      db.write(() => void close.run({ ...input, untilMs: Math.ceil(input.untilMs) })),
    reopenGates: (input) => db.write(() => Number(reopen.run(input).changes)),
    gates: (input) => all(gateRow, list, input),
  };
}
