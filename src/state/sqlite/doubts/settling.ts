import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createSentKeys, type SentKeys } from "../sends/sent-keys.ts";
import {
  createRequests,
  elapsedMs,
  isOver,
  momentColumns,
  type PendingRequest,
} from "./requests.ts";

/** Kinds of run that send all that the source holds since the checkpoint. */
const wholeKinds: readonly string[] = ["sync", "inbox"];

/** How requests of unknown outcome come to an end. Every function is called inside a transaction. */
export type Settling = {
  /** Forgets the requests of a set that are over and that nothing waits for, and the keys that were kept for them. */
  forgetOver(setId: number, now: Moment): void;
  /** Names the keys that runs which were given up may have sent, and that no run made up to and with `madeBy`. */
  findStrays(setId: number, madeBy: string): void;
};

/** Whether it was left by a run that was given up, and is made again by one that sends all that its source holds. */
function isGivenUp({ sendState, kind }: PendingRequest): boolean {
  return sendState === "dropped" && wholeKinds.includes(kind);
}

const stagingRow = z.object({ send: z.int(), isCut: z.int().transform(Boolean) });

const partRow = z.object({ ranges: jsonColumn.pipe(ranges) });

const keyRow = z.object({ key: z.string() });

/** Says which keys later stagings of a set made, as far as they are known. */
function createMadeSince(
  db: Database,
  sentKeys: SentKeys,
): (setId: number, send: number) => string[] {
  const later = db.prepare(
    `select send, state = 'cut' as isCut from sent_keys join stagings using (send) join runs using (run_id)
       join fingerprint_sets f using (target, sync)
     where f.id = $setId and send > $send and state in ('committed', 'cut')`,
  );
  const ofStage = "join stagings s using (run_id, chunk, stage) where s.send = $send";
  const accepted = db.prepare(`select ranges from receipts r ${ofStage} and r.state = 'committed'`);
  // What an earlier step rejected was made of no row.
  const refused = db.prepare(`select key from rejects ${ofStage} and step = 'send'`);
  /** What was made of a chunk that was given up on its way: what the service took of it, and what it refused. */
  const keysOfCut = (send: number): string[] => {
    const taken = all(partRow, accepted, { send }).flatMap((part) => part.ranges);
    const keys = sentKeys.of(send, taken).map(([key]) => key);
    return [...keys, ...all(keyRow, refused, { send }).map(({ key }) => key)];
  };
  return (setId, since) =>
    all(stagingRow, later, { setId, send: since }).flatMap(({ send, isCut }) =>
      isCut ? keysOfCut(send) : sentKeys.all(send),
    );
}

/** Makes the functions for the end of requests. */
export function createSettling(db: Database): Settling {
  const requests = createRequests(db);
  const sentKeys = createSentKeys(db);
  const isAwaited = db.prepare(
    "select count(*) from (select 1 from doubts where request = $request limit 1)",
  );
  const restart = db.prepare(
    "update requests set boot_id = $bootId, since = $since, since_wall = $sinceWall where request = $request",
  );
  const forgetKeys = db.prepare(
    `delete from sent_keys where not exists (select 1 from requests where set_id = $setId) and send in (
       select send from stagings join runs using (run_id) join fingerprint_sets f using (target, sync)
       where f.id = $setId and state in ('committed', 'cut', 'dropped'))`,
  );
  const madeSince = createMadeSince(db, sentKeys);
  const clear = db.prepare("delete from stray_keys where set_id = $setId and run_id = $runId");
  const add = db.prepare(
    "insert or replace into stray_keys (set_id, key, run_id) values ($setId, $key, $runId)",
  );
  const markMade = db.prepare("update requests set is_made = 1 where request = $request");

  /** Of a clock that was set back nobody knows how much time went by: the time begins anew. */
  const restartLost = (request: PendingRequest, now: Moment): void => {
    if (elapsedMs(request, now) >= 0) return;
    restart.run({ request: request.request, ...momentColumns(now) });
  };
  return {
    forgetOver: (setId, now) => {
      for (const request of requests.concerning(setId)) {
        restartLost(request, now);
        const isDone = isOver(request, now) && (request.isMade || !isGivenUp(request));
        const { request: number } = request;
        if (isDone && count(isAwaited, { request: number }) === 0) requests.forget(number);
      }
      forgetKeys.run({ setId });
    },
    findStrays: (setId, madeBy) => {
      const givenUp = requests
        .pending(setId)
        .filter((request) => isGivenUp(request) && request.runId !== madeBy);
      for (const [runId, ofRun] of Map.groupBy(givenUp, (request) => request.runId)) {
        const keys = new Set<string>();
        for (const { request, send, ranges: sent } of ofRun) {
          for (const [key] of sentKeys.of(send, sent)) keys.add(key);
          markMade.run({ request });
        }
        const since = Math.min(...ofRun.map(({ send }) => send));
        for (const key of madeSince(setId, since)) keys.delete(key);
        clear.run({ setId, runId });
        for (const key of keys) add.run({ setId, key, runId });
      }
    },
  };
}
