import { z } from "zod";

import type { Database } from "../database.ts";
import { all, count, first } from "../database.ts";
import { ageOf } from "./ages.ts";

/** Ids whose ages stand in one row: some 64 KB. */
const idsPerBlock = 8_192;

/** What a staging saw and did not send: fingerprints by their ids, and the numbers of their rows. */
type Seen = { readonly ids: Uint32Array; readonly rowNumbers: Uint32Array };

/**
 * The rows that stagings saw and did not send, because the service holds them. A night sees every key: to
 * write each fingerprint for it took most of what the store did. So each call appends its own here, and the
 * next run folds what is still asked for into blocks of ages, by id.
 */
export type Sightings = {
  /** Notes what a staging saw; to be called inside a transaction. */
  note(at: { readonly setId: number; readonly send: number }, seen: Seen): void;
  /** Tells which ids a run saw in stagings that it did not give up; to be called inside a transaction. */
  ofRun(at: { readonly setId: number; readonly runId: string }): (id: number) => boolean;
  /** Ages at which accepted stagings saw ids of a set, the newest of each; 0 is none. */
  newestOf(setId: number): (id: number) => number;
  /**
   * Has `work` ask statements with `newestSightedSql`, which all see the store as it was when the first of
   * them asked.
   */
  asking<Result>(work: () => Result): Result;
  /**
   * Folds what earlier runs saw into the blocks, or forgets it where nothing can ask for it: no reject of the
   * sync, and no other run of it that is open. Once a run, before it notes its first.
   */
  fold(at: { readonly setId: number; readonly runId: string }): void;
};

/** The age at which an accepted staging saw a fingerprint `f` last, in SQL; only inside `asking`. */
export const newestSightedSql = "newest_sighted(f.set_id, coalesce(f.id, 0))";

const seenRow = z.object({
  number: z.int(),
  send: z.int(),
  ids: z.instanceof(Uint8Array).transform(numbersIn),
  rowNumbers: z.instanceof(Uint8Array).transform(numbersIn),
});

const blockRow = z.object({ block: z.int(), ages: z.instanceof(Uint8Array).transform(agesIn) });

function numbersIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

function agesIn(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Ages by id, a block of them at a time. */
class Ages {
  readonly blocks = new Map<number, Float64Array>();

  of(id: number): number {
    return this.blocks.get(Math.floor(id / idsPerBlock))?.[id % idsPerBlock] ?? 0;
  }

  add({ ids, rowNumbers }: Seen, send: number): void {
    for (const [index, id] of ids.entries()) {
      const age = ageOf(send, rowNumbers[index] ?? 0);
      const block = this.#have(Math.floor(id / idsPerBlock));
      if (age > (block[id % idsPerBlock] ?? 0)) block[id % idsPerBlock] = age;
    }
  }

  #have(number: number): Float64Array {
    const block = this.blocks.get(number) ?? new Float64Array(idsPerBlock);
    this.blocks.set(number, block);
    return block;
  }
}

/** A set of ids that grows. */
class IdSet {
  #bits = new Uint8Array(1_024);

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(ids: Uint32Array): void {
    for (const id of ids) {
      const byte = id >>> 3;
      if (byte >= this.#bits.length) this.#grow(byte);
      this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (id & 7));
    }
  }

  #grow(byte: number): void {
    const bits = new Uint8Array(2 * (byte + 1));
    bits.set(this.#bits);
    this.#bits = bits;
  }
}

/** What one run saw, as far as it was read; read anew once a staging of the run was given up. */
type RunSeen = {
  readonly runId: string;
  readonly dropped: number;
  readonly ids: IdSet;
  number: number;
};

/** Tells which ids a run saw: reads what was appended since it was asked last, whichever process wrote it. */
function createOfRun(db: Database): Sightings["ofRun"] {
  const gaveUp = db.prepare(
    "select count(*) from sends where run_id = $runId and state = 'dropped'",
  );
  const since = db.prepare(
    `select number, send, ids, row_numbers as rowNumbers from sightings join sends using (send)
     where set_id = $setId and send >= (select min(send) from sends where run_id = $runId)
       and run_id = $runId and state <> 'dropped' and number > $number
     order by number`,
  );
  // By set: syncs are staged beside each other.
  const known = new Map<number, RunSeen>();
  return ({ setId, runId }) => {
    const dropped = count(gaveUp, { runId });
    let seen = known.get(setId);
    if (seen?.runId !== runId || seen.dropped !== dropped) {
      seen = { runId, dropped, ids: new IdSet(), number: 0 };
      known.set(setId, seen);
    }
    for (const { number, ids } of all(seenRow, since, { setId, runId, number: seen.number })) {
      seen.ids.add(ids);
      seen.number = number;
    }
    const { ids } = seen;
    return (id) => ids.has(id);
  };
}

/** What accepted stagings saw of a set. */
const accepted = `select number, send, ids, row_numbers as rowNumbers from sightings join sends using (send)
  where set_id = $setId and state in ('committed', 'cut')`;

function createFolding(db: Database): Sightings["fold"] {
  const isOld = "set_id = $setId and send < (select min(send) from sends where run_id = $runId)";
  const isAny = db.prepare(`select exists (select 1 from sightings where ${isOld})`);
  const ofSync = "from fingerprint_sets e join runs r using (target, sync)";
  // What another run has rejected and not written yet is as old as that run.
  const isAsked = db.prepare(
    `select exists (select 1 ${ofSync} join rejects using (run_id) where e.id = $setId)
       or exists (select 1 ${ofSync} where e.id = $setId and r.ended_at is null and r.run_id <> $runId)
       or exists (select 1 from mappings where set_id = $setId group by set_id having count(*) > 1)
       or exists (select 1 from sightings join sends s using (send) join mappings m using (set_id)
         where set_id = $setId and s.mapping <> m.mapping)`,
  );
  const forgetBlocks = db.prepare("delete from sighted_blocks where set_id = $setId");
  const select = db.prepare(`${accepted} and ${isOld}`);
  const selectBlock = db.prepare(
    "select block, ages from sighted_blocks where set_id = $setId and block = $block",
  );
  const put = db.prepare(
    "insert or replace into sighted_blocks (set_id, block, ages) values ($setId, $block, $ages)",
  );
  // Of a staging that is not decided yet it is not known whether it counts, and a run that is open asks for its own.
  const forget = db.prepare(
    `delete from sightings where ${isOld} and not exists (
       select 1 from sends s join runs r using (run_id)
       where s.send = sightings.send and (s.state in ('staging', 'staged') or r.ended_at is null))`,
  );
  const folded = new Map<number, string>();
  return (at) => {
    const { setId, runId } = at;
    if (folded.get(setId) === runId) return;
    folded.set(setId, runId);
    if (count(isAny, at) === 0) return;
    if (count(isAsked, at) === 0) forgetBlocks.run({ setId });
    else {
      const ages = new Ages();
      for (const { send, ...seen } of all(seenRow, select, at)) ages.add(seen, send);
      for (const [block, seen] of ages.blocks) {
        const known = first(blockRow, selectBlock, { setId, block })?.ages;
        const newest = seen.map((age, index) => Math.max(age, known?.[index] ?? 0));
        put.run({ setId, block, ages: bytesOf(newest) });
      }
    }
    forget.run(at);
  };
}

/** Reads the newest ages of a set. */
function createReading(db: Database): (setId: number) => Ages {
  const blocks = db.prepare("select block, ages from sighted_blocks where set_id = $setId");
  const select = db.prepare(accepted);
  return (setId) => {
    const ages = new Ages();
    for (const { block, ages: known } of all(blockRow, blocks, { setId })) {
      ages.blocks.set(block, known);
    }
    for (const { send, ...seen } of all(seenRow, select, { setId })) ages.add(seen, send);
    return ages;
  };
}

/** The sightings of a SQLite store. */
export function createSightings(db: Database): Sightings {
  const read = createReading(db);
  const insert = db.prepare(
    "insert into sightings (set_id, send, ids, row_numbers) values ($setId, $send, $ids, $rowNumbers)",
  );
  const asked = new Map<number, Ages>();
  const newestOf = (setId: number): Ages => {
    const ages = asked.get(setId) ?? read(setId);
    asked.set(setId, ages);
    return ages;
  };
  db.define("newest_sighted", (setId, id) => newestOf(setId).of(id));
  return {
    note: (at, { ids, rowNumbers }) => {
      insert.run({ ...at, ids: bytesOf(ids), rowNumbers: bytesOf(rowNumbers) });
    },
    ofRun: createOfRun(db),
    newestOf: (setId) => {
      const ages = read(setId);
      return (id) => ages.of(id);
    },
    asking: (work) => {
      asked.clear();
      try {
        return work();
      } finally {
        asked.clear();
      }
    },
    fold: createFolding(db),
  };
}
