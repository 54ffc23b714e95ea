import { z } from "zod";

import { hashBytes, type KeysToStage, verdict } from "../../contract/keys/fingerprints.ts";
import type { Database, Statement } from "../database.ts";
import { first } from "../database.ts";
import { ageOf, sendOf } from "./ages.ts";
import { createFieldKeeper, type FieldLosses } from "./field-keeper.ts";
import type { FingerprintSet } from "./fingerprint-sets.ts";
import { column, type KnownRow } from "./look-up.ts";

const sendFacts = z.object({
  runId: z.string(),
  state: z.string(),
  committedAt: z.int().nullable(),
});

type SendFacts = z.output<typeof sendFacts>;

/** Whether the service holds what a fingerprint says of a send; what was not accepted of one that was cut has none. */
function isAccepted(facts: SendFacts | undefined): boolean {
  return facts?.state === "committed" || facts?.state === "cut";
}

/** Looks up sends; those in a final state are remembered, because every row asks. */
function createSendFacts(db: Database): (send: number) => SendFacts | undefined {
  const select = db.prepare(
    "select run_id as runId, state, committed_at as committedAt from sends where send = $send",
  );
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

/** Positional parameters: these run once a row. */
function prepareRow(db: Database): Record<"put" | "see", Statement> {
  return {
    put: db.prepare(
      `insert into fingerprints (set_id, key, hash, fields, send, seen, seen_before, id) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict do update set hash = excluded.hash, fields = excluded.fields, send = excluded.send,
         seen = excluded.seen, seen_before = excluded.seen_before, id = excluded.id`,
    ),
    see: db.prepare(
      `insert into fingerprints (set_id, key, hash, send, seen, seen_before, id) values (?, ?, null, 0, ?, ?, ?)
       on conflict do update set seen = excluded.seen, seen_before = excluded.seen_before, id = excluded.id`,
    ),
  };
}

/** What keys are judged against; `isDoubted` is undefined where nothing of the set is in doubt. */
export type JudgedSet = FingerprintSet & {
  readonly isDoubted: ((key: string) => boolean) | undefined;
  readonly lost: FieldLosses;
  /** Whether the run saw an id that its fingerprint does not tell of; see `Sightings`. */
  readonly isSeen: (id: number) => boolean;
  /** Notes that it did, in a row of this number. */
  readonly note: (id: number, rowNumber: number) => void;
  /** The age at which an accepted staging saw an id last; only replays ask. */
  readonly newestOf: (id: number) => number;
};

/** What a judge asks of the sends that a fingerprint names. */
function createAsking(factsOf: (send: number) => SendFacts | undefined): {
  readonly isOfRun: (send: number, runId: string) => boolean;
  readonly wasSent: (send: number, runId: string) => boolean;
  readonly isSentSince: (input: KeysToStage, knownSend: number) => boolean;
} {
  /** Whether a send is one of this run's own and not given up: what it saw is part of this run. */
  const isOfRun = (send: number, runId: string): boolean => {
    const facts = send === 0 ? undefined : factsOf(send);
    return facts?.runId === runId && facts.state !== "dropped";
  };
  /** Whether this run sent the key before. One that it sent twice stays so, even if the second staging was given up. */
  const wasSent = (send: number, runId: string): boolean =>
    send < 0 ? factsOf(-send)?.runId === runId : isOfRun(send, runId);
  /**
   * Whether another run sent the key since a backfill began; one that it sent twice, in order, was sent all
   * the same.
   */
  const isSentSince = ({ begunAt = Infinity, runId }: KeysToStage, knownSend: number): boolean => {
    const sent = Math.abs(knownSend);
    const facts = sent > begunAt ? factsOf(sent) : undefined;
    return isAccepted(facts) && facts?.runId !== runId;
  };
  return { isOfRun, wasSent, isSentSince };
}

/** A key of a call. */
type JudgedKey = {
  readonly index: number;
  readonly known: KnownRow | undefined;
  /** Draws an id for a key that has none yet. */
  readonly drawId: () => number;
};

/** Judges one key; the caller holds the transaction. */
export function createJudge(
  db: Database,
): (input: KeysToStage, set: JudgedSet, key: JudgedKey) => number {
  const { put, see } = prepareRow(db);
  const keepFields = createFieldKeeper(db);
  const factsOf = createSendFacts(db);
  const { isOfRun, wasSent, isSentSince } = createAsking(factsOf);
  return (input, set, { index, known = [], drawId }) => {
    const { runId, send } = input;
    const key = input.keys[index] ?? "";
    const knownSend = Number(known[column.send] ?? 0);
    const knownSeen = Number(known[column.seen] ?? 0);
    const age = input.ages?.[index];
    // `seen` may be of a staging that never counted.
    const isHeld = knownSeen > 0 && isAccepted(factsOf(sendOf(knownSeen)));
    const newest = isHeld ? knownSeen : Number(known[column.seenBefore] ?? 0);
    // 0 is of none.
    const knownId = Number(known[column.id] ?? 0);
    if (age !== undefined && Math.max(newest, set.newestOf(knownId)) > age) {
      return verdict.superseded;
    }
    if (input.rejectDuplicates && (isOfRun(sendOf(knownSeen), runId) || set.isSeen(knownId))) {
      return verdict.duplicate;
    }
    const rowNumber = input.rowNumbers[index] ?? 0;
    // A replayed row does not grow newer by it: of two that are replayed apart, the later one still wins.
    const seen = age ?? ageOf(send, rowNumber);
    const saw = (): void => {
      if (knownId !== 0 && age === undefined) set.note(knownId, rowNumber);
      else see.run(set.id, key, seen, newest, knownId === 0 ? drawId() : knownId);
    };

    const facts = knownSend > set.validAfter ? factsOf(knownSend) : undefined;
    const isKnown =
      facts !== undefined &&
      isAccepted(facts) &&
      (facts.committedAt ?? 0) >= (input.committedAfter ?? 0) &&
      set.isDoubted?.(key) !== true;
    if (isSentSince(input, knownSend)) return verdict.unchanged;
    if (!input.full && isKnown && known[column.isSame] === 1) {
      saw();
      return verdict.unchanged;
    }
    if (input.dryRun) {
      saw();
      return verdict.send;
    }
    // Twice in one run: a negative send never counts as committed, so the key stays unknown after the run.
    const isTwice = input.again?.[index] === true || wasSent(knownSend, runId);
    const now = isTwice ? -send : send;
    const wasTaken = Math.abs(knownSend) > set.validAfter;
    const lost = wasTaken ? set.lost : undefined;
    const fields = keepFields({ known: known[column.fields], index, lost }, input.fields);
    const hash = input.hashes.subarray(index * hashBytes, (index + 1) * hashBytes);
    const id = knownId === 0 ? drawId() : knownId;
    put.run(set.id, key, hash, fields, now, seen, newest, id);
    return verdict.send;
  };
}
