import { steadyMs, type Moment } from "../../clock.ts";
import type { Database } from "../database.ts";
import { all, first } from "../database.ts";
import { lowerClassSlots } from "../limits.ts";
import * as gates from "../rules/breaker.ts";
import { gateRow, type GateRow, type Health } from "../rules/breaker.ts";
import { createTickets, type Place, type Tickets } from "./reservations.ts";

/** A gate as a person reads it. */
export type GateState = {
  /** `api:<hash of the key>`, `…:<family>` for credits, `…:refused`, `put:<storage host>`. */
  readonly gate: string;
  /** Unix ms by the wall clock of the one who asks; null is open. */
  readonly closedUntil: number | null;
  readonly why: string | null;
  /** Whether five failures in a row half-closed it, so that one probe at a time leaves. */
  readonly isFailing: boolean;
};

/** What asking for a slot brings. */
export type SlotAnswer =
  /** The request may leave after the wait. */
  | {
      readonly granted: true;
      readonly waitMs: number;
      /** Whether it is the one that finds out whether a failing service is back. */
      readonly isProbe: boolean;
      /** Whether the next success is news to the gate. */
      readonly isTroubled: boolean;
    }
  /** The budget is spoken for until then; asking again under the same ticket gives the same time. */
  | { readonly granted: false; readonly waitMs: number }
  | { readonly closed: GateState }
  /** The service is failing; `stepMs` is the time between two probes. */
  | { readonly failing: GateState; readonly waitMs: number; readonly stepMs: number };

/** One rate budget for all workers and all kinds of run, and the gates that a 429 closes and an outage half-closes. */
export interface BudgetStore {
  /**
   * Takes the next slot of `gate` (generic cell rate algorithm) unless one of `gates` is closed or `gate` is failing. A wait
   * above `waitMaxMs` is answered without taking the slot. While a higher class waits, a lower one gets every tenth slot.
   */
  takeSlot(
    input: Moment &
      Place & {
        readonly gates: readonly string[];
        readonly perSecond: number;
        readonly waitMaxMs: number;
      },
  ): SlotAnswer;
  /** Closes a gate until the later of `untilMs` and what it was closed until. */
  closeGate(
    input: Moment & { readonly gate: string; readonly untilMs: number; readonly why: string },
  ): void;
  /** Counts one "slow down" without a hint; answers how many came in a row without a success, and for how long. */
  countSlowDown(input: Moment & { readonly gate: string }): {
    readonly times: number;
    readonly forMs: number;
  };
  /** Notes what a request says of the service; five failures in a row half-close the gate, one success opens it. */
  noteOutcome(
    input: Moment & {
      readonly gate: string;
      readonly outcome: Health;
      readonly isProbe: boolean;
      readonly why?: string | undefined;
    },
  ): void;
  /** Opens gates that begin with `prefix`, whatever closed them; answers how many were closed. */
  reopenGates(input: Moment & { readonly prefix: string }): number;
  gates(input: Moment & { readonly prefix: string }): GateState[];
}

/** The rows of `budget`, on the clock of the one who asks. */
type Gates = {
  readonly load: (gate: string, now: Moment) => GateRow;
  readonly list: (prefix: string, now: Moment) => GateRow[];
  readonly save: (row: GateRow, now: Moment) => void;
};

/** The rate budget of a SQLite store. */
export function createBudgetStore(db: Database): BudgetStore {
  const tickets = createTickets(db);
  const { load, list, save } = createGates(db, tickets);
  const change = (gate: string, now: Moment, to: (row: GateRow) => GateRow): GateRow =>
    db.write(() => {
      const row = to(load(gate, now));
      save(row, now);
      return row;
    });
  return {
    takeSlot: (ask) =>
      db.write((): SlotAnswer => {
        const rows = ask.gates.map((gate) => load(gate, ask));
        const shut = rows.find((row) => gates.closedForMs(row, ask) > 0);
        if (shut !== undefined) return { closed: stateOf(shut, ask) };
        const row = load(ask.gate, ask);
        const isProbe = gates.isHalfClosed(row);
        const probeInMs = isProbe ? gates.nextProbeAt(row, ask) - steadyMs(ask) : 0;
        if (probeInMs > 0) {
          const stepMs = gates.probeWaitMs(row);
          return { failing: stateOf(row, ask), waitMs: probeInMs, stepMs };
        }
        const given = giveSlot(row, tickets, ask);
        if (!given.granted) {
          save(given.row, ask);
          return { granted: false, waitMs: given.waitMs };
        }
        save(isProbe ? gates.probed(given.row, ask) : given.row, ask);
        const isTroubled = row.failures > 0 || row.slowed > 0;
        return { granted: true, waitMs: given.waitMs, isProbe, isTroubled };
      }),
    closeGate: ({ gate, untilMs, why, ...now }) => {
      const forMs = untilMs - now.nowMs;
      change(gate, now, (row) => gates.closed(row, { forMs, why, now }));
    },
    countSlowDown: ({ gate, ...now }) => {
      const { slowed, slowedSince } = change(gate, now, (row) => gates.slowedOnce(row, now));
      return { times: slowed, forMs: steadyMs(now) - slowedSince };
    },
    noteOutcome: ({ gate, outcome, isProbe, why = null, ...now }) => {
      change(gate, now, (row) => gates.ended(row, { outcome, isProbe, why, now }));
    },
    reopenGates: ({ prefix, ...now }) =>
      db.write(() => {
        const isShut = (row: GateRow): boolean =>
          gates.closedForMs(row, now) > 0 || gates.isHalfClosed(row);
        const shut = list(prefix, now)
          .map(({ gate }) => load(gate, now))
          .filter(isShut);
        for (const row of shut) save(gates.reopened(row), now);
        return shut.length;
      }),
    gates: ({ prefix, ...now }) => list(prefix, now).map((row) => stateOf(row, now)),
  };
}

/** The column of a member: `nextSlot` is `next_slot`. */
function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function createGates(db: Database, tickets: Tickets): Gates {
  const columns = Object.keys(gateRow.unwrap().shape);
  const names = columns.map((name) => `${snake(name)} as ${name}`).join(", ");
  const select = db.prepare(`select ${names} from budget where gate = $gate`);
  const selectAll = db.prepare(
    `select ${names} from budget where substr(gate, 1, length($prefix)) = $prefix order by gate`,
  );
  const replace = db.prepare(
    `insert or replace into budget (${columns.map(snake).join(", ")})
     values (${columns.map((name) => `$${name}`).join(", ")})`,
  );
  const save: Gates["save"] = (row, now) => {
    replace.run({ ...row, writtenAt: Math.max(row.writtenAt, steadyMs(now)) });
  };
  return {
    save,
    load: (gate, now) => {
      const found = first(gateRow, select, { gate });
      if (found === undefined) return gates.newGate(gate, now);
      if (gates.isOnClockOf(found, now)) return found;
      const moved = gates.onClockOf(found, now);
      // Kept at once: a wait that starts again does so once.
      save(moved, now);
      tickets.dropAll(gate);
      return moved;
    },
    list: (prefix, now) =>
      all(gateRow, selectAll, { prefix }).map((row) => gates.onClockOf(row, now)),
  };
}

function stateOf(row: GateRow, now: Moment): GateState {
  const closedForMs = gates.closedForMs(row, now);
  const isFailing = gates.isHalfClosed(row);
  const { gate } = row;
  if (closedForMs > 0) {
    const closedUntil = Math.ceil(now.nowMs + closedForMs);
    return { gate, closedUntil, why: row.why, isFailing };
  }
  return { gate, closedUntil: null, why: isFailing ? row.failedWhy : null, isFailing };
}

/** The row with the slot of one who asks at an open gate, or with the time to come back. */
type Given = { readonly granted: boolean; readonly waitMs: number; readonly row: GateRow };

function giveSlot(
  row: GateRow,
  tickets: Tickets,
  ask: Parameters<BudgetStore["takeSlot"]>[0],
): Given {
  const now = steadyMs(ask);
  const spacing = 1_000 / ask.perSecond;
  const slot = Math.max(now, row.nextSlot);
  tickets.lapse(ask.gate, now);
  const held = tickets.due(ask);
  const later = (due: number, changed = row): Given => {
    tickets.keep(ask, due);
    return { granted: false, waitMs: due - now, row: changed };
  };
  if (held !== undefined && held - now > ask.waitMaxMs) return later(held);
  const isOutranked = tickets.isOutranked(ask);
  const lowSpacing = lowerClassSlots * spacing;
  // Behind all of the own class and above; or, where that is sooner, the next tenth slot that nobody was told.
  const behindAll = Math.max(slot, tickets.lastDue(ask) + spacing);
  const free = Math.max(row.nextLowSlot, row.nextLowDue);
  const low = free > slot ? free : slot + lowSpacing - spacing;
  const isNew = held === undefined && (isOutranked ? slot < free : behindAll - now > ask.waitMaxMs);
  const isEarly = slot - now > ask.waitMaxMs || (isOutranked && slot < row.nextLowSlot);
  if (isNew || isEarly) {
    const isLow = isOutranked && (low < behindAll || behindAll === slot);
    return isLow ? later(low, { ...row, nextLowDue: low + lowSpacing }) : later(behindAll);
  }
  tickets.drop(ask);
  const nextLowSlot = isOutranked ? slot + lowSpacing : row.nextLowSlot;
  const moved = { ...row, nextSlot: slot + spacing, nextLowSlot };
  return { granted: true, waitMs: slot - now, row: moved };
}
