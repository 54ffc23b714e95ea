import { z } from "zod";

import { rowNumberOf, sendOf } from "../../rules/keys/ages.ts";
import { IdSet } from "../../rules/keys/id-set.ts";
import { eachSeen, seenRows, SeenRowsWriter } from "../../rules/keys/seen-rows.ts";
import type { Database } from "../database.ts";
import { all, count, first } from "../database.ts";
import { Ages, agesOf, bytesOfAges } from "./age-blocks.ts";

/** What a staging sees in one transaction. */
type Seeing = {
  /** Whether the run saw an id before, in a staging that it did not abandon. */
  isSeen(this: void, id: number): boolean;
  /** Notes that the staging sees an id in a row of this age. */
  note(this: void, id: number, age: number): void;
  /** Writes what was noted. */
  end(this: void): void;
};

/**
 * The rows that stagings saw, whether they sent them or not: they give the age of a key. Writing a fingerprint for each
 * row of a night took most of the store's work. So what a transaction saw is appended here as one row, and the next run
 * folds what may still be asked for into blocks of ages, by id.
 */
export type Sightings = {
  /** To be called inside a transaction. */
  begin(at: RunOfSet): Seeing;
  /** The ids that a run saw, in stagings that it did not abandon. */
  seenBy(at: RunOfSet): IdSet;
  /** Forgets that a staging saw these ids; to be called inside a transaction. */
  unsee(send: number, ids: ReadonlySet<number>): void;
  /** The newest age at which an accepted staging saw an id, 0 if none did; only inside `asking`. */
  newestOf(setId: number, id: number): number;
  /** Runs `work`, which may use `newestOf` and `newestSightedSql`: they read a set once, at their first use of it. */
  asking<Result>(work: () => Result): Result;
  /** As `asking`, for work that waits for other answers of the store in between. */
  askingInSteps<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Forgets what was read inside a transaction that has failed. */
  readAnew(): void;
};

/** `Sightings.newestOf` for a fingerprint `f`, in SQL. */
export const newestSightedSql = "newest_sighted(f.set_id, f.id)";

const runSeenRow = seenRows.extend({ number: z.int() });

const setIdRow = z.object({ id: z.int() });

const sentRow = seenRows.extend({ send: z.int() });

const blockRow = z.object({ block: z.int(), ages: z.instanceof(Uint8Array).transform(agesOf) });

/** What one run saw, as far as it has been read; read anew once a staging of the run was abandoned or cut. */
type RunSeen = {
  readonly runId: string;
  readonly dropped: number;
  readonly ids: IdSet;
  number: number;
};

/** A run, and the set of its sync. */
type RunOfSet = { readonly setId: number; readonly runId: string };

const seenColumns = "ids, row_numbers as rowNumbers, lengths";

/** Makes a function that returns which ids a run saw: it reads what any process appended since its last call. */
function createOfRun(db: Database): {
  readonly ofRun: (at: RunOfSet) => IdSet;
  readonly readAnew: () => void;
} {
  const gaveUp = db.prepare(
    "select count(*) from stagings where run_id = $runId and state in ('dropped', 'cut')",
  );
  const since = db.prepare(
    `select number, ${seenColumns} from sightings join stagings using (send)
     where set_id = $setId and send >= (select min(send) from stagings where run_id = $runId)
       and run_id = $runId and state <> 'dropped' and number > $number
     order by number`,
  );
  // By set: several syncs are staged at once.
  const known = new Map<number, RunSeen>();
  const ofRun = ({ setId, runId }: RunOfSet): IdSet => {
    const dropped = count(gaveUp, { runId });
    let seen = known.get(setId);
    if (seen?.runId !== runId || seen.dropped !== dropped) {
      seen = { runId, dropped, ids: new IdSet(), number: 0 };
      known.set(setId, seen);
    }
    const { ids } = seen;
    for (const { number, ...rows } of all(runSeenRow, since, {
      setId,
      runId,
      number: seen.number,
    })) {
      eachSeen(rows, (id) => ids.add(id));
      seen.number = number;
    }
    return ids;
  };
  return { ofRun, readAnew: () => known.clear() };
}

/** What accepted stagings saw of a set, in SQL. */
const accepted = `select send, ${seenColumns} from sightings join stagings using (send)
  where set_id = $setId and state in ('committed', 'cut')`;

/**
 * Makes a function that folds what earlier runs saw into the blocks, or forgets it if nothing can ask for it: no reject
 * of the sync, no other open run of it, no older mapping. It does so once a run.
 */
function createFolding(db: Database): (at: RunOfSet) => void {
  const isOld = "set_id = $setId and send < (select min(send) from stagings where run_id = $runId)";
  const isAny = db.prepare(`select exists (select 1 from sightings where ${isOld})`);
  const ofSync = "from fingerprint_sets e join runs r using (target, sync)";
  // A row that another open run has rejected and not written yet is as old as that run.
  const isAsked = db.prepare(
    `select exists (select 1 ${ofSync} join rejects using (run_id) where e.id = $setId)
       or exists (select 1 ${ofSync} where e.id = $setId and r.ended_at is null and r.run_id <> $runId)
       or exists (select 1 from mappings where set_id = $setId group by set_id having count(*) > 1)
       or exists (select 1 from sightings join stagings s using (send) join mappings m using (set_id)
         where set_id = $setId and s.mapping <> m.mapping)`,
  );
  const forgetBlocks = db.prepare("delete from sighted_blocks where set_id = $setId");
  const select = db.prepare(`${accepted} and ${isOld}`);
  const selectBlock = db.prepare(
    "select block, age_runs as ages from sighted_blocks where set_id = $setId and block = $block",
  );
  const put = db.prepare(
    "insert or replace into sighted_blocks (set_id, block, age_runs) values ($setId, $block, $ages)",
  );
  // Whether an undecided staging will count is not known yet, and an open run asks for its own sightings.
  const forget = db.prepare(
    `delete from sightings where ${isOld} and not exists (
       select 1 from stagings s join runs r using (run_id)
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
      for (const { send, ...seen } of all(sentRow, select, at)) ages.add(seen, send);
      for (const [block, seen] of ages.blocks) {
        const known = first(blockRow, selectBlock, { setId, block })?.ages;
        const newest = seen.map((age, index) => Math.max(age, known?.[index] ?? 0));
        put.run({ setId, block, ages: bytesOfAges(newest) });
      }
    }
    forget.run(at);
  };
}

/** Reads the newest ages of a set. */
function createReading(db: Database): (setId: number) => Ages {
  const blocks = db.prepare(
    "select block, age_runs as ages from sighted_blocks where set_id = $setId",
  );
  const select = db.prepare(accepted);
  return (setId) => {
    const ages = new Ages();
    for (const { block, ages: known } of all(blockRow, blocks, { setId })) {
      ages.blocks.set(block, known);
    }
    for (const { send, ...seen } of all(sentRow, select, { setId })) ages.add(seen, send);
    return ages;
  };
}

/**
 * Folds what accepted stagings saw of every set into its blocks, and forgets the rest, for which only the run that saw
 * it asks. Does nothing while a run is open.
 */
export function foldAllSightings(db: Database): void {
  const read = createReading(db);
  const sets = db.prepare("select id from fingerprint_sets");
  const put = db.prepare(
    "insert or replace into sighted_blocks (set_id, block, age_runs) values ($setId, $block, $ages)",
  );
  const forget = db.prepare("delete from sightings where set_id = $setId");
  const isAnyOpen = db.prepare("select exists (select 1 from runs where ended_at is null)");
  for (const { id: setId } of all(setIdRow, sets)) {
    db.write(() => {
      if (count(isAnyOpen) === 1) return;
      for (const [block, ages] of read(setId).blocks) {
        put.run({ setId, block, ages: bytesOfAges(ages) });
      }
      forget.run({ setId });
    });
  }
}

/** Removes ids from what a staging saw. */
function createUnseeing(db: Database): Sightings["unsee"] {
  const ofSend = db.prepare(
    `select number, ${seenColumns} from sightings where send = $send and set_id in
       (select set_id from stagings join runs using (run_id) join fingerprint_sets f using (target, sync)
        where send = $send)`,
  );
  const update = db.prepare(
    "update sightings set ids = $ids, row_numbers = $rowNumbers, lengths = $lengths where number = $number",
  );
  return (send, ids) => {
    for (const { number, ...rows } of all(runSeenRow, ofSend, { send })) {
      const left = new SeenRowsWriter();
      eachSeen(rows, (id, rowNumber) => {
        if (!ids.has(id)) left.add(id, rowNumber);
      });
      update.run({ number, ...left.columns() });
    }
  };
}

/** The sightings of a SQLite store. */
export function createSightings(db: Database): Sightings {
  const read = createReading(db);
  const { ofRun, readAnew } = createOfRun(db);
  const fold = createFolding(db);
  const insert = db.prepare(
    `insert into sightings (set_id, send, ids, row_numbers, lengths)
     values ($setId, $send, $ids, $rowNumbers, $lengths)`,
  );
  const asked = new Map<number, Ages>();
  const newestOf = (setId: number, id: number): number => {
    const ages = asked.get(setId) ?? read(setId);
    asked.set(setId, ages);
    return ages.of(id);
  };
  db.define("newest_sighted", (setId, id) => newestOf(Number(setId), Number(id)));
  return {
    begin: ({ setId, runId }) => {
      let before: IdSet | undefined;
      // A replayed row is as old as the staging that first refused it.
      const here = new Map<number, SeenRowsWriter>();
      return {
        isSeen: (id) => (before ??= ofRun({ setId, runId })).has(id),
        note: (id, age) => {
          const send = sendOf(age);
          let rows = here.get(send);
          if (rows === undefined) here.set(send, (rows = new SeenRowsWriter()));
          rows.add(id, rowNumberOf(age));
        },
        end: () => {
          if (here.size === 0) return;
          fold({ setId, runId });
          for (const [send, rows] of here) insert.run({ setId, send, ...rows.columns() });
        },
      };
    },
    seenBy: ofRun,
    unsee: createUnseeing(db),
    newestOf,
    asking: (work) => {
      asked.clear();
      try {
        return work();
      } finally {
        asked.clear();
      }
    },
    askingInSteps: async (work) => {
      asked.clear();
      try {
        return await work();
      } finally {
        asked.clear();
      }
    },
    readAnew,
  };
}
