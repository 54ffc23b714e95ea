import { z } from "zod";

import { type KeysToStage, verdict } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";
import { ageOf } from "./ages.ts";
import type { FingerprintSet } from "./fingerprint-sets.ts";
import type { FoundKeys } from "./look-up.ts";
import type { KeysToPut } from "./put-keys.ts";

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
    const sent = Math.abs(knownSend);
    const facts = sent > begunAt ? factsOf(sent) : undefined;
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
function eachRow(
  { order, ids, sends, hasAllSends }: FoundRows,
  each: (row: FoundRow) => void,
): void {
  let at = 0;
  for (const [place, index] of order.entries()) {
    const id = ids[place] ?? 0;
    const isKnown = id > 0;
    const hasSend = id < 0 || (isKnown && hasAllSends);
    const knownSend = hasSend ? (sends[at++] ?? 0) : 0;
    each({ index, id: Math.abs(id), isKnown, knownSend });
  }
}

/** Judges the keys: puts each verdict at its index, and answers which fingerprints are to be written. */
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
    const put: KeysToPut = {
      once: [],
      twice: [],
      seen: [],
      onceMore: [],
      twiceMore: [],
      before: new Map(),
    };
    const judgeOne = ({ index, id, isKnown, knownSend }: FoundRow): number => {
      const age = ages?.[index];
      if (age !== undefined && set.newestOf(id) > age) return verdict.superseded;
      if (rejectDuplicates && set.isSeen(id)) return verdict.duplicate;
      if (isSentSince(input, knownSend)) return verdict.unchanged;
      if (id !== 0) set.note(id, ageOfRow(input, index));
      if (isKnown && !full && set.isDoubted?.(index) !== true) return verdict.unchanged;
      // Twice in one run: a negative send never counts as committed, so the key stays unknown after the run.
      const isTwice = again?.[index] === true || wasSent(knownSend, runId);
      if (dryRun) {
        if (id === 0) put.seen.push(index);
      } else if (id === 0) (isTwice ? put.twice : put.once).push(index);
      else {
        (isTwice ? put.twiceMore : put.onceMore).push(index);
        const wasTaken = Math.abs(knownSend) > set.validAfter;
        put.before.set(index, wasTaken ? id : -id);
      }
      return verdict.send;
    };
    eachRow(rows, (row) => {
      verdicts[row.index] = judgeOne(row);
    });
    return put;
  };
}
