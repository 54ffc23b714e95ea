import { z } from "zod";

import type { Database } from "../database.ts";
import { all, count, first } from "../database.ts";
import { ageOf } from "./ages.ts";

/** Ids whose ages stand in one row: some 64 KB. */
const idsPerBlock = 8_192;

/** What a staging saw and did not send: fingerprints by their ids, and the numbers of their rows. */
type Seen = { readonly ids: Uint32Array; readonly rowNumbers: Uint32Array };

/** What a staging sees in one transaction. */
type Seeing = {
  /** Whether the run saw an id before, here or in a staging that it did not give up. */
  isSeen(this: void, id: number): boolean;
  note(this: void, id: number, rowNumber: number): void;
  /** Writes what was noted. */
  end(this: void): void;
};

/**
 * The rows that stagings saw and did not send, because the service holds them. A night sees every key: to
 * write each fingerprint for it took most of what the store did. So what a transaction saw is appended here
 * as one row, and the next run folds what is still asked for into blocks of ages, by id.
 */
export type Sightings = {
  /** To be called inside a transaction. */
  begin(at: { readonly setId: number; readonly runId: string; readonly send: number }): Seeing;
  /** The age at which an accepted staging saw an id last, 0 where none did; only inside `asking`. */
  newestOf(setId: number, id: number): number;
  /** Has `work` ask `newestOf` and `newestSightedSql`: what they answer of a set is read once, by the first. */
  asking<Result>(work: () => Result): Result;
};

/** `Sightings.newestOf` of a fingerprint `f`, in SQL. */
export const newestSightedSql = "newest_sighted(f.set_id, coalesce(f.id, 0))";

const idsRow = z.object({
  number: z.int(),
  ids: z.instanceof(Uint8Array).transform(numbersIn),
});

const seenRow = z.object({
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

/** A run, and the set of its sync. */
type RunOfSet = { readonly setId: number; readonly runId: string };

/** Tells which ids a run saw: reads what was appended since it was asked last, whichever process wrote it. */
function createOfRun(db: Database): (at: RunOfSet) => IdSet {
  const gaveUp = db.prepare(
    "select count(*) from sends where run_id = $runId and state = 'dropped'",
  );
  const since = db.prepare(
    `select number, ids from sightings join sends using (send)
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
    for (const { number, ids } of all(idsRow, since, { setId, runId, number: seen.number })) {
      seen.ids.add(ids);
      seen.number = number;
    }
    return seen.ids;
  };
}

/** What accepted stagings saw of a set. */
const accepted = `select send, ids, row_numbers as rowNumbers from sightings join sends using (send)
  where set_id = $setId and state in ('committed', 'cut')`;

/**
 * Makes what folds what earlier runs saw into the blocks, or forgets it where nothing can ask for it: no
 * reject of the sync, no other run of it that is open, no older mapping. It does so once a run.
 */
function createFolding(db: Database): (at: RunOfSet) => void {
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
  const ofRun = createOfRun(db);
  const fold = createFolding(db);
  const insert = db.prepare(
    "insert into sightings (set_id, send, ids, row_numbers) values ($setId, $send, $ids, $rowNumbers)",
  );
  const asked = new Map<number, Ages>();
  const newestOf = (setId: number, id: number): number => {
    const ages = asked.get(setId) ?? read(setId);
    asked.set(setId, ages);
    return ages.of(id);
  };
  db.define("newest_sighted", newestOf);
  return {
    begin: ({ setId, runId, send }) => {
      let before: IdSet | undefined;
      const here = new Map<number, number>();
      return {
        isSeen: (id) => here.has(id) || (before ??= ofRun({ setId, runId })).has(id),
        note: (id, rowNumber) => void here.set(id, rowNumber),
        end: () => {
          if (here.size === 0) return;
          fold({ setId, runId });
          const ids = bytesOf(Uint32Array.from(here.keys()));
          insert.run({ setId, send, ids, rowNumbers: bytesOf(Uint32Array.from(here.values())) });
        },
      };
    },
    newestOf,
    asking: (work) => {
      asked.clear();
      try {
        return work();
      } finally {
        asked.clear();
      }
    },
  };
}
