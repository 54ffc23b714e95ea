import { z } from "zod";

import { type KeysToStage, verdict } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";
import { ageOf } from "./ages.ts";
import type { FingerprintSet } from "./fingerprint-sets.ts";
import type { FoundKeys } from "./look-up.ts";
import { sent } from "./staged/staged-keys.ts";

const sendFacts = z.object({ runId: z.string(), state: z.string() });

type SendFacts = z.output<typeof sendFacts>;

/** Whether the service holds what a fingerprint says of a send; what was not accepted of one that was cut has none. */
function isAccepted(facts: SendFacts | undefined): boolean {
  return facts?.state === "committed" || facts?.state === "cut";
}

/** Looks up sends; those in a final state are remembered, because every row asks. */
function createSendFacts(db: Database): (send: number) => SendFacts | undefined {
  const select = db.prepare("select run_id as runId, state from stagings where send = $send");
  const final = new Map<number, SendFacts>();
  return (send) => {
    const remembered = final.get(send);
    if (remembered !== undefined) return remembered;
    const facts = first(sendFacts, select, { send });
    if (facts !== undefined && (isAccepted(facts) || facts.state === "dropped")) {
      if (final.size >= 10_000) final.clear();
      final.set(send, facts);
    }
    return facts;
  };
}

/** What keys are judged against; `isDoubted` is undefined where nothing of the set is in doubt. */
export type JudgedSet = FingerprintSet & {
  readonly isDoubted: ((index: number) => boolean) | undefined;
  /** Whether the run saw an id; see `Sightings`. */
  readonly isSeen: (id: number) => boolean;
  /** Notes that it did, in a row of this age. */
  readonly note: (id: number, age: number) => void;
  /** The age at which an accepted staging saw an id last; only replays ask. */
  readonly newestOf: (id: number) => number;
};

/** What a judge asks of the sends that a fingerprint names. */
function createAsking(db: Database): {
  readonly wasSent: (send: number, runId: string) => boolean;
  readonly isSentSince: (input: KeysToStage, knownSend: number) => boolean;
} {
  const factsOf = createSendFacts(db);
  /** Whether this run sent the key before. One that it sent twice stays so, even if the second staging was given up. */
  const wasSent = (send: number, runId: string): boolean => {
    const facts = send === 0 ? undefined : factsOf(Math.abs(send));
    return facts?.runId === runId && (send < 0 || facts.state !== "dropped");
  };
  /**
   * Whether another run sent the key since a backfill began; one that it sent twice, in order, was sent all
   * the same.
   */
  const isSentSince = ({ begunAt = Infinity, runId }: KeysToStage, knownSend: number): boolean => {
    const send = Math.abs(knownSend);
    const facts = send > begunAt ? factsOf(send) : undefined;
    return isAccepted(facts) && facts?.runId !== runId;
  };
  return { wasSent, isSentSince };
}

/**
 * How old a row is. A replayed one does not grow newer by it: of two that are replayed apart, the later one still
 * wins.
 */
export function ageOfRow({ ages, send, rowNumbers }: KeysToStage, index: number): number {
  return ages?.[index] ?? ageOf(send, rowNumbers[index] ?? 0);
}

/** Keys of a call, each once, and what was found of them. */
type FoundRows = FoundKeys & { readonly order: readonly number[] };

/** What becomes of the keys of records that leave, by the indexes of their rows. */
export type KeysToPut = {
  /** Those that have no id yet, and how often the run sends each: see `sent`. */
  readonly added: Map<number, number>;
  /** Those that have none, and that a dry run only sees. */
  readonly seen: number[];
  /** Those that have one. */
  readonly known: Map<number, KnownKey>;
};

type KnownKey = {
  readonly id: number;
  readonly times: number;
  /** Whether the service held a record of it, as far as is known. */
  readonly wasTaken: boolean;
};

/** A row, and what is known of its key. */
type FoundRow = {
  readonly index: number;
  /** 0 is of none. */
  readonly id: number;
  /** Whether the service is known to hold the record as it is. */
  readonly isKnown: boolean;
  readonly knownSend: number;
};

/** Calls `each` with every row, in order. */
function eachRow({ order, ids, sends }: FoundRows, each: (row: FoundRow) => void): void {
  for (const [place, index] of order.entries()) {
    const id = ids[place] ?? 0;
    each({ index, id: Math.abs(id), isKnown: id > 0, knownSend: sends[place] ?? 0 });
  }
}

/** Judges the keys: puts each verdict at its index, and answers what becomes of those that leave. */
export type Judge = (
  input: KeysToStage,
  set: JudgedSet,
  rows: FoundRows & { readonly verdicts: Uint8Array },
) => KeysToPut;

/** Makes the judge of a SQLite store; the caller holds the transaction. */
export function createJudge(db: Database): Judge {
  const { wasSent, isSentSince } = createAsking(db);
  return (input, set, rows) => {
    const { runId, dryRun, full, rejectDuplicates, ages, again } = input;
    const { verdicts } = rows;
    const put: KeysToPut = { added: new Map(), seen: [], known: new Map() };
    const judgeOne = ({ index, id, isKnown, knownSend }: FoundRow): number => {
      const age = ages?.[index];
      if (age !== undefined && set.newestOf(id) > age) return verdict.superseded;
      if (rejectDuplicates && set.isSeen(id)) return verdict.duplicate;
      if (isSentSince(input, knownSend)) return verdict.unchanged;
      if (id !== 0) set.note(id, ageOfRow(input, index));
      if (isKnown && !full && set.isDoubted?.(index) !== true) return verdict.unchanged;
      // Twice in one run: a negative send never counts as committed, so the key stays unknown after the run.
      const isTwice = again?.[index] === true || wasSent(knownSend, runId);
      const times = isTwice ? sent.twice : sent.once;
      if (dryRun) {
        if (id === 0) put.seen.push(index);
      } else if (id === 0) put.added.set(index, times);
      else {
        const wasTaken = Math.abs(knownSend) > set.validAfter;
        put.known.set(index, { id, times, wasTaken });
      }
      return verdict.send;
    };
    eachRow(rows, (row) => {
      verdicts[row.index] = judgeOne(row);
    });
    return put;
  };
}
