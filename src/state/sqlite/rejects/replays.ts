import { z } from "zod";

import { refusedAgain } from "../../../records/reject-codes.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type ReplayStore, openRow } from "../../contract/rejects/replays.ts";
import { transactionRowsMax } from "../../limits.ts";
import type { Database, Statement } from "../database.ts";
import { all, count, first } from "../database.ts";
import { joinReplayed, rejectAgeSql } from "./open-rejects.ts";

const listedRow = z.object({
  number: z.int(),
  chunk: z.int(),
  ordinal: z.int(),
  place: z.string(),
  send: z.int(),
  age: z.number(),
});

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

function prepareReplays(
  db: Database,
): Record<"counts" | "last" | "add" | "isStaged" | "list" | "span" | "supersede", Statement> {
  const counts = db.prepare(
    `select coalesce(sum(s.state is 'committed' and r.replayed_by is null), 0) as open,
       coalesce(sum(r.replayed_by is not null and not r.superseded), 0) as replayed,
       coalesce(sum(r.superseded), 0) as superseded,
       coalesce(sum(s.state is not 'committed'), 0) as uncommitted
     from rejects r left join stagings s using (run_id, chunk, stage)
     where r.run_id = $run and r.code <> '${refusedAgain}' and ($code is null or r.code = $code)`,
  );
  const columns = "number, chunk, ordinal, place, span_send as send, age";
  const last = db.prepare(
    `select ${columns} from replays where run_id = $runId order by number desc limit 1`,
  );
  // What a replay refused again is in the span that it was first refused in, and is as old as it was: a list
  // of ours is not a source. A second row of a key lost against the first one, which may be of a newer file:
  // it is older than any.
  const add = db.prepare(
    `insert into replays (run_id, number, reject_run, chunk, ordinal, place, span_send, age)
     select $runId, $number + row_number() over (order by r.chunk, r.ordinal), r.run_id, r.chunk, r.ordinal, r.place,
       coalesce(p.span_send, s.send), ${rejectAgeSql}
     from rejects r join stagings s using (run_id, chunk, stage) join runs using (run_id)
     ${joinReplayed}
     where r.run_id = $run and (r.chunk, r.ordinal) > ($chunk, $ordinal) and s.state = 'committed'
       and r.replayed_by is null and r.code <> '${refusedAgain}' and ($code is null or r.code = $code)
       and (runs.kind <> 'replay' or p.number is not null)
     order by r.chunk, r.ordinal limit ${transactionRowsMax}`,
  );
  const isStaged = db.prepare("select count(*) from stagings where run_id = $runId");
  const list = db.prepare(
    `select ${columns} from replays where run_id = $runId and number > $after order by number limit $limit`,
  );
  const span = db.prepare(
    `select from_position as "from", to_position as "to" from stagings where send = $send`,
  );
  const supersede = db.prepare(
    `update rejects set replayed_by = $runId, superseded = 1 where replayed_by is null and (run_id, chunk, ordinal) in (
       select reject_run, chunk, ordinal from replays where run_id = $runId and place = $place)`,
  );
  return { counts, last, add, isStaged, list, span, supersede };
}

/** The replays of a SQLite store. */
export function createReplayStore(db: Database): ReplayStore {
  const { counts, last, add, isStaged, list, span, supersede } = prepareReplays(db);
  return {
    replayCounts: ({ run, code = null }) => openRow.parse(counts.get({ run, code })),
    listReplay: ({ runId, run, code = null }) => {
      const addSome = (): number => {
        if (count(isStaged, { runId }) > 0) return 0;
        const begin = { number: 0, chunk: 0, ordinal: 0 };
        const { number, chunk, ordinal } = first(listedRow, last, { runId }) ?? begin;
        return Number(add.run({ runId, run, code, number, chunk, ordinal }).changes);
      };
      while (db.write(addSome) > 0);
    },
    replayPage: ({ runId, after, limit }) => {
      const next = all(listedRow, list, { runId, after, limit });
      const [head] = next;
      if (head === undefined) return undefined;
      const end = next.findIndex(({ send }) => send !== head.send);
      const page = end === -1 ? next : next.slice(0, end);
      const { from, to } = first(spanRow, span, { send: head.send }) ?? { from: null, to: null };
      return {
        places: page.map(({ place }) => place),
        ages: page.map(({ age }) => age),
        last: page.at(-1)?.number ?? head.number,
        from,
        to,
      };
    },
    supersedeRejects: ({ runId, places }) =>
      db.write(() => {
        for (const place of places) supersede.run({ runId, place });
      }),
  };
}
