import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import {
  type DoubtFacts,
  type DoubtStore,
  strayRow,
  doubtfulRow,
} from "../../contract/doubts/doubt-store.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createFingerprintSets, type FingerprintSets } from "../keys/fingerprint-sets.ts";
import { createRequests, isOver, leftMs, type PendingRequest } from "./requests.ts";
import { createSettling } from "./settling.ts";

const keyRow = z.object({ key: z.string() });

const syncRow = z.object({ target: z.string(), sync: z.string() }).readonly();

const stageRow = z.object({ chunk: z.int(), stage: z.int() });

const senderRow = z.object({ process: z.string() });

const requestRow = z.object({ request: z.int() });

/** The numbers of the requests that may still be applied after so many ms, as a JSON array. */
function landingAfter(ms: number, pending: readonly PendingRequest[], now: Moment): string {
  const landing = pending.filter((each) => each.isOpen || leftMs(each, now) > ms);
  return JSON.stringify(landing.map(({ request }) => request));
}

/** Keys of which no row has a request that may still be applied; one that is forgotten may not. */
const waitsForNone =
  "group by key having max(request in (select value from json_each($landing))) = 0";

/** Says what is in doubt; to be called inside a transaction. */
function createFacts(db: Database): (setId: number, now: Moment) => DoubtFacts {
  const requests = createRequests(db);
  const isWaiting = "set_id = $setId and send is not null and not is_lost";
  const countDue = db.prepare(
    `select count(*) from (select 1 from doubts where ${isWaiting} ${waitsForNone})`,
  );
  const countWaiting = db.prepare(`select count(distinct key) from doubts where ${isWaiting}`);
  const countLost = db.prepare(
    "select count(distinct key) from doubts where set_id = $setId and is_lost",
  );
  const countStrays = db.prepare("select count(*) from stray_keys where set_id = $setId");
  return (setId, now) => {
    const pending = requests.concerning(setId);
    const landing = pending.filter((each) => each.setId === setId && !isOver(each, now));
    const records = landing.flatMap(({ ranges }) => ranges.map(([from, to]) => to - from));
    const isOpen = landing.some((each) => each.isOpen);
    const dueAfter = (ms: number): number =>
      count(countDue, { setId, landing: landingAfter(ms, pending, now) });
    const due = dueAfter(0);
    const waiting = pending.filter((each) => !each.isOpen && !isOver(each, now));
    const ends = waiting.map((each) => leftMs(each, now));
    return {
      inDoubt: count(countWaiting, { setId }),
      lost: count(countLost, { setId }),
      due,
      waitMs: ends.toSorted((one, other) => one - other).find((ms) => dueAfter(ms) > due),
      pending: records.reduce((sum, each) => sum + each, 0),
      pendingMs: isOpen ? undefined : Math.max(0, ...landing.map((each) => leftMs(each, now))),
      stray: count(countStrays, { setId }),
    };
  };
}

/** What tells of keys, and forgets them. */
type NamingStore = Pick<DoubtStore, "doubtfulSyncs" | "forgetDoubts" | "lostKeys" | "strayKeys">;

function createNaming(db: Database, sets: FingerprintSets): NamingStore {
  const strays = db.prepare(
    "select key, run_id as runId from stray_keys where set_id = $setId order by key limit $limit",
  );
  const lost = db.prepare(
    "select distinct key from doubts where set_id = $setId and is_lost order by key limit $limit",
  );
  const doubtfulSyncs = db.prepare(
    `select target, sync from fingerprint_sets
     where exists (select 1 from doubts where set_id = id) or exists (select 1 from stray_keys where set_id = id)
     order by sync, target limit $limit`,
  );
  const forgets = ["doubts", "stray_keys"].map((table) =>
    db.prepare(`delete from ${table} where set_id = $setId`),
  );
  return {
    lostKeys: ({ limit, ...name }) =>
      all(keyRow, lost, { setId: sets.idOf(name), limit }).map(({ key }) => key),
    doubtfulSyncs: (input) => all(syncRow, doubtfulSyncs, input),
    forgetDoubts: (name) =>
      db.write(() => {
        for (const forget of forgets) forget.run({ setId: sets.idOf(name) });
      }),
    strayKeys: ({ limit, ...name }) => all(strayRow, strays, { setId: sets.idOf(name), limit }),
  };
}

/** What may still land, of a SQLite store. */
export function createDoubtStore(db: Database): DoubtStore {
  const requests = createRequests(db);
  const settling = createSettling(db);
  const factsOf = createFacts(db);
  const sets = createFingerprintSets(db);
  const doubtful = db.prepare(
    `select key, send, record, run_id as runId, chunk, stage, host from (
       select key, send, record from doubts
       where set_id = $setId and send is not null and next_send is null and not is_lost
         and (send, record) > ($send, $record) ${waitsForNone})
     join stagings using (send) order by send, record limit $limit`,
  );
  const lose = db.prepare("update doubts set is_lost = 1 where send = $send");
  const senders = db.prepare(
    "select distinct process from requests where is_open and process <> $but",
  );
  const openOf = db.prepare("select request from requests where is_open and process = $process");
  const kept = db.prepare(
    `select distinct chunk, stage
     from doubts d join stagings s on s.send in (d.send, d.next_send) where run_id = $runId`,
  );
  return {
    doubtfulRecords: ({ after, now, limit, ...name }) => {
      const setId = sets.idOf(name);
      const landing = landingAfter(0, requests.concerning(setId), now);
      return all(doubtfulRow, doubtful, { setId, landing, limit, ...after });
    },
    loseLines: ({ send }) => db.write(() => void lose.run({ send })),
    openSenders: (input) => all(senderRow, senders, input).map(({ process }) => process),
    endSender: ({ process, now }) =>
      db.write(() => {
        for (const { request } of all(requestRow, openOf, { process })) {
          requests.endUnknown(request, now);
        }
      }),
    settleDoubts: ({ now, madeBy, ...name }) =>
      db.write(() => {
        const setId = sets.idOf(name);
        if (madeBy !== undefined) settling.findStrays(setId, madeBy);
        settling.forgetOver(setId, now);
        return factsOf(setId, now);
      }),
    doubtFacts: ({ now, ...name }) => factsOf(sets.idOf(name), now),
    ...createNaming(db, sets),
    keptStages: ({ runId }) => all(stageRow, kept, { runId }),
  };
}
