import { type KeysToStage, verdict } from "../../contract/keys/fingerprints.ts";
import { ageOf } from "./ages.ts";

/** How often a run sends a key as far as it has staged: what it sends once counts when its staging is committed. */
export const sent = { once: 1, twice: -1, refused: 0 } as const;

/** What is asked of a send that a fingerprint names. */
export type SendFacts = {
  readonly runId: string;
  readonly state: string;
  /** Unix ms; null of one that was not accepted. */
  readonly committedAt: number | null;
  /** Of the mapping; null where none was kept. */
  readonly mapping: string | null;
};

/** Whether the service holds what a fingerprint says of a send; what was not accepted of one that was cut has none. */
export function isAccepted(facts: SendFacts | undefined): boolean {
  return facts?.state === "committed" || facts?.state === "cut";
}

/** What keys are judged against; `isDoubted` is undefined where nothing of the set is in doubt. */
export type JudgedSet = {
  /** A send up to this one says nothing any more. */
  readonly validAfter: number;
  /** Mappings of which the service may hold records, the run's own or not. */
  readonly mappings: ReadonlySet<string>;
  /** Undefined of a send that is not known any more. */
  readonly factsOf: (send: number) => SendFacts | undefined;
  readonly isDoubted: ((index: number) => boolean) | undefined;
  /** Whether the run saw an id, in a staging that it did not give up. */
  readonly isSeen: (id: number) => boolean;
  /** Notes that it did, in a row of this age. */
  readonly note: (id: number, age: number) => void;
  /** The age at which an accepted staging saw an id last, 0 where none did; only replays ask. */
  readonly newestOf: (id: number) => number;
};

/** Whether this run sent the key before. One that it sent twice stays so, even if the second staging was given up. */
function wasSent({ factsOf }: JudgedSet, send: number, runId: string): boolean {
  const facts = send === 0 ? undefined : factsOf(Math.abs(send));
  return facts?.runId === runId && (send < 0 || facts.state !== "dropped");
}

/**
 * Whether another run sent the key since a backfill began; one that it sent twice, in order, was sent all
 * the same.
 */
function isSentSince(
  { factsOf }: JudgedSet,
  { begunAt = Infinity, runId }: KeysToStage,
  knownSend: number,
): boolean {
  const send = Math.abs(knownSend);
  const facts = send > begunAt ? factsOf(send) : undefined;
  return isAccepted(facts) && facts?.runId !== runId;
}

/** The fingerprints of some keys. */
export type FoundKeys = {
  /**
   * In the order of the keys: the id of a fingerprint by which the service is known to hold the record as it
   * is; of any other its id below zero; null where there is none.
   */
  readonly ids: (number | null)[];
  /** The sends of those that are below zero, in the same places; of all where they are asked for. */
  readonly sends: number[];
};

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
  for (let place = 0; place < order.length; place += 1) {
    const index = order[place] ?? 0;
    const id = ids[place] ?? 0;
    each({ index, id: Math.abs(id), isKnown: id > 0, knownSend: sends[place] ?? 0 });
  }
}

/** Why a record is sent of whose key this run sent none before: what is known of its send says so. */
function reasonOf(
  { committedAfter = 0, mapping }: KeysToStage,
  { validAfter, factsOf, mappings }: JudgedSet,
  { id, isKnown, knownSend }: FoundRow,
): number {
  // One without a send was refused, or only seen by a dry run of a version that had them.
  if (id === 0 || knownSend === 0) return verdict.new;
  if (isKnown) return verdict.again;
  const facts = knownSend > validAfter ? factsOf(knownSend) : undefined;
  if (!isAccepted(facts) || (facts?.committedAt ?? 0) < committedAfter) return verdict.unknown;
  const { mapping: older = null } = facts ?? {};
  const isOlder = mapping !== undefined && older !== null && older !== mapping;
  return isOlder && mappings.has(older) ? verdict.remapped : verdict.changed;
}

/** Judges the keys: puts each verdict at its index, and answers what becomes of those that leave. */
export function judgeKeys(
  input: KeysToStage,
  set: JudgedSet,
  rows: FoundRows & { readonly verdicts: Uint8Array },
): KeysToPut {
  const { runId, full, rejectDuplicates, ages, again } = input;
  const { verdicts } = rows;
  const put: KeysToPut = { added: new Map(), known: new Map() };
  const judgeOne = (row: FoundRow): number => {
    const { index, id, isKnown, knownSend } = row;
    const age = ages?.[index];
    if (age !== undefined && set.newestOf(id) > age) return verdict.superseded;
    if (rejectDuplicates && set.isSeen(id)) return verdict.duplicate;
    if (isSentSince(set, input, knownSend)) return verdict.unchanged;
    if (id !== 0) set.note(id, ageOfRow(input, index));
    if (isKnown && !full && set.isDoubted?.(index) !== true) return verdict.unchanged;
    // Twice in one run: a negative send never counts as committed, so the key stays unknown after the run.
    const isOurs = wasSent(set, knownSend, runId);
    const isTwice = again?.[index] === true || isOurs;
    const times = isTwice ? sent.twice : sent.once;
    if (id === 0) put.added.set(index, times);
    else {
      // Of a key that was sent twice nobody knows which record the service holds, and so which fields it had.
      const wasTaken = knownSend > set.validAfter;
      put.known.set(index, { id, times, wasTaken });
    }
    return isOurs ? verdict.again : reasonOf(input, set, row);
  };
  eachRow(rows, (row) => {
    verdicts[row.index] = judgeOne(row);
  });
  return put;
}
