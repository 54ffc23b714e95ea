import { type KeysToStage, verdict } from "../../contract/keys/fingerprints.ts";
import { ageOf } from "./ages.ts";

/** How often a run sends a key, as far as it has staged. A key sent once counts when its staging is committed. */
export const sent = { once: 1, twice: -1, refused: 0 } as const;

/** The facts of a send that a fingerprint names. */
export type SendFacts = {
  readonly runId: string;
  readonly state: string;
  /** Unix ms; null if it was not accepted. */
  readonly committedAt: number | null;
  /** Hash of the mapping; null if none was kept. */
  readonly mapping: string | null;
};

/**
 * Whether the service holds the records whose fingerprints name this send. Records of a cut send that were not accepted
 * have no such fingerprint.
 */
export function isAccepted(facts: SendFacts | undefined): boolean {
  return facts?.state === "committed" || facts?.state === "cut";
}

/** What keys are judged against; `isDoubted` is undefined if no key of the set is in doubt. */
export type JudgedSet = {
  /** Sends up to this one no longer count. */
  readonly validAfter: number;
  /** Mappings whose records the service may hold, the run's own or others. */
  readonly mappings: ReadonlySet<string>;
  /** Undefined for a send that is no longer known. */
  readonly factsOf: (send: number) => SendFacts | undefined;
  readonly isDoubted: ((index: number) => boolean) | undefined;
  /** Whether the run saw an id, in a staging that it did not give up. */
  readonly isSeen: (id: number) => boolean;
  /** Notes that the run saw an id, in a row of this age. */
  readonly note: (id: number, age: number) => void;
  /** The age at which an accepted staging last saw an id, 0 if none did; only replays ask. */
  readonly newestOf: (id: number) => number;
};

/** Whether this run sent the key before. A key sent twice stays so, even if the second staging was given up. */
function wasSent({ factsOf }: JudgedSet, send: number, runId: string): boolean {
  const facts = send === 0 ? undefined : factsOf(Math.abs(send));
  return facts?.runId === runId && (send < 0 || facts.state !== "dropped");
}

/** Whether another run sent the key since a backfill began. A key that it sent twice, in order, counts as well. */
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
   * In the order of the keys: the id of the fingerprint, negative unless the service is known to hold the record as it
   * is; null if there is none.
   */
  readonly ids: (number | null)[];
  /** The sends of the negative ids, in the same places; of all ids if those are asked for. */
  readonly sends: number[];
};

/**
 * The age of a row. A replay does not make a row newer: of two rows that are replayed separately, the later one still
 * wins.
 */
export function ageOfRow({ ages, send, rowNumbers }: KeysToStage, index: number): number {
  return ages?.[index] ?? ageOf(send, rowNumbers[index] ?? 0);
}

/** Keys of a call, each once, and what was found for them. */
type FoundRows = FoundKeys & { readonly order: readonly number[] };

/** What becomes of the keys of records that leave, by the indexes of their rows. */
export type KeysToPut = {
  /** Keys that have no id yet, and how often the run sends each: see `sent`. */
  readonly added: Map<number, number>;
  /** Keys that have an id. */
  readonly known: Map<number, KnownKey>;
};

type KnownKey = {
  readonly id: number;
  readonly times: number;
  /** Whether the service held a record of it, as far as is known, or this run has sent it before. */
  readonly wasTaken: boolean;
};

/** A row, and what is known of its key. */
type FoundRow = {
  readonly index: number;
  /** 0 if there is none. */
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

/** Why a record is sent whose key this run has not sent before, by what is known of the key's last send. */
function reasonOf(
  { committedAfter = 0, mapping }: KeysToStage,
  { validAfter, factsOf, mappings }: JudgedSet,
  { id, isKnown, knownSend }: FoundRow,
): number {
  // A key without a send was refused, or only seen by a dry run of an older version.
  if (id === 0 || knownSend === 0) return verdict.new;
  if (isKnown) return verdict.again;
  const facts = knownSend > validAfter ? factsOf(knownSend) : undefined;
  if (!isAccepted(facts) || (facts?.committedAt ?? 0) < committedAfter) return verdict.unknown;
  const { mapping: older = null } = facts ?? {};
  const isOlder = mapping !== undefined && older !== null && older !== mapping;
  return isOlder && mappings.has(older) ? verdict.remapped : verdict.changed;
}

/** Judges keys: puts each verdict at its index, and returns what becomes of the keys that leave. */
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
      // If a key was sent twice, nobody knows which record the service holds, and so which fields it had. But what this
      // run sends may still be given up: then the record of before is known again, with its fields.
      const wasTaken = (isOurs ? Math.abs(knownSend) : knownSend) > set.validAfter;
      put.known.set(index, { id, times, wasTaken });
    }
    return isOurs ? verdict.again : reasonOf(input, set, row);
  };
  eachRow(rows, (row) => {
    verdicts[row.index] = judgeOne(row);
  });
  return put;
}
