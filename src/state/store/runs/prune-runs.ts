import {
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from "kysely";

import type { Remote } from "../../../thread.ts";
import type { PruneRuns, RunStore } from "../../contract/runs/runs.ts";
import { wholeKinds } from "../doubts/settling.ts";
import { recountOpen } from "../rejects/insert-rejects.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { Tables } from "../tables.ts";
import { isSuccess } from "./successes.ts";

/** Runs to remove. */
type OldRuns = SelectQueryBuilder<Tables, "runs", { runId: string }>;

/** Whether nothing of a run may still be applied or has to be sent again. */
function isSettled(
  expression: ExpressionBuilder<Tables, "runs">,
  before: string,
): Expression<SqlBool> {
  const pending = expression
    .selectFrom("stagings as s")
    .innerJoin("requests as q", "q.send", "s.send")
    .select("s.send")
    .whereRef("s.runId", "=", "runs.runId")
    .where((request) =>
      request.or([
        request("q.isOpen", "=", 1),
        request(sql<number>`q.since_wall + q.lasts_ms`, ">", Date.parse(before)),
      ]),
    );
  const doubtful = expression
    .selectFrom("stagings as s")
    .innerJoin("doubts as d", (join) =>
      join.on((doubt) =>
        doubt.or([
          doubt("d.send", "=", doubt.ref("s.send")),
          doubt("d.nextSend", "=", doubt.ref("s.send")),
        ]),
      ),
    )
    .select("s.send")
    .whereRef("s.runId", "=", "runs.runId");
  return expression.and([
    expression.not(expression.exists(pending)),
    expression.not(expression.exists(doubtful)),
  ]);
}

/** Whether the next run that ends well looks for keys of a run, which may have sent them and was given up. */
function isLookedFor(expression: ExpressionBuilder<Tables, "runs">): Expression<SqlBool> {
  const unmade = expression
    .selectFrom("stagings as s")
    .innerJoin("requests as q", "q.send", "s.send")
    .select("s.send")
    .whereRef("s.runId", "=", "runs.runId")
    .where("s.state", "=", "dropped")
    .where("q.isMade", "=", 0);
  return expression.and([expression("runs.kind", "in", wholeKinds), expression.exists(unmade)]);
}

/** The newest success of each sync or pull: later runs are compared with it. */
function newestSuccesses(queries: Queries): SelectQueryBuilder<Tables, "runs", { rowid: number }> {
  return queries
    .selectFrom("runs")
    .select(({ fn }) => fn.max("rowid").as("rowid"))
    .where((run) => isSuccess(queries, run))
    .groupBy(["target", "sync", "kind"]);
}

/** Tables whose rows are removed with their run. */
const tablesOfRun = [
  "runHosts",
  "rejects",
  "receipts",
  "faults",
  "replays",
  "pullRuns",
  "plans",
  "lanes",
  "strayKeys",
  "runs",
] as const;

/** The stagings of a run. */
function stagingsOf(
  queries: Queries,
  runId: string,
): SelectQueryBuilder<Tables, "stagings", { send: number }> {
  return queries.selectFrom("stagings").select("send").where("runId", "=", runId);
}

/** Removes the requests of stagings, and the keys that they sent. */
async function removeSent(queries: Queries, sends: ReturnType<typeof stagingsOf>): Promise<void> {
  await queries.deleteFrom("requests").where("send", "in", sends).execute();
  await queries.deleteFrom("sentKeys").where("send", "in", sends).execute();
}

/** Removes everything kept for a run, except what fingerprints depend on. */
async function remove(queries: Queries, runId: string): Promise<void> {
  await removeSent(queries, stagingsOf(queries, runId));
  for (const table of tablesOfRun) {
    await queries.deleteFrom(table).where("runId", "=", runId).execute();
  }
  // Committed stagings stay: a fingerprint counts only while its staging is known as committed.
  await queries
    .deleteFrom("stagings")
    .where("runId", "=", runId)
    .where("state", "not in", ["committed", "cut"])
    .execute();
}

/**
 * Removes the rows and keys of a run that stays, except those that a later run looks for. Its rejects still count, and
 * none is open any more.
 */
async function strip(queries: Queries, runId: string): Promise<void> {
  await removeSent(queries, stagingsOf(queries, runId).where("state", "<>", "dropped"));
  await queries.deleteFrom("strayKeys").where("runId", "=", runId).execute();
  await queries
    .updateTable("rejects")
    .set({ key: null, sourceRow: null, isOpen: 0 })
    .where("runId", "=", runId)
    .execute();
  await recountOpen(queries, runId);
}

/** A drain may run every second: its stagings go with it unless a fingerprint of its sync may depend on them. */
async function removeIdle(queries: Queries, runId: string): Promise<void> {
  await queries
    .deleteFrom("stagings")
    .where("runId", "=", runId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("fingerprintSets as f")
            .innerJoin("runs as r", (join) =>
              join.onRef("r.target", "=", "f.target").onRef("r.sync", "=", "f.sync"),
            )
            .select("f.id")
            .where("r.runId", "=", runId)
            .whereRef("f.validAfter", "<", "stagings.send"),
        ),
      ),
    )
    .execute();
}

/** The drains of a sync that had nothing to tell, the oldest first, except the newest to each target. */
function withoutNews(old: OldRuns, sync: string): OldRuns {
  return old
    .where("sync", "=", sync)
    .where("kind", "=", "inbox")
    .where("outcome", "=", "done")
    .where((eb) =>
      // A run of another kind, or one that failed, says nothing of when events were sent last.
      eb(
        "rowid",
        "<>",
        eb
          .selectFrom("runs as r")
          .select("r.rowid")
          .where("r.sync", "=", sync)
          .whereRef("r.target", "=", "runs.target")
          .where("r.kind", "=", "inbox")
          .where("r.outcome", "=", "done")
          .orderBy("r.rowid", "desc")
          .limit(1),
      ),
    )
    .orderBy("startedAt")
    .orderBy("rowid");
}

/** The removal of old runs from a store. */
export function createPruning(db: StateDatabase): Remote<RunStore>["pruneRuns"] {
  return async ({ before, quietOf, limit }: PruneRuns) => {
    const old = db.queries
      .selectFrom("runs")
      .select("runId")
      .where("startedAt", "<", before)
      .where((expression) => isSettled(expression, before));
    const ended = old.where("endedAt", "is not", null);
    const newest = newestSuccesses(db.queries);
    const asked = (
      quietOf === undefined ? ended.where("rowid", "not in", newest) : withoutNews(old, quietOf)
    ).where((eb) => eb.not(isLookedFor(eb)));
    const gone = await (limit === undefined ? asked : asked.limit(limit)).execute();
    for (const { runId } of gone) {
      await db.write(async (queries) => {
        if (quietOf !== undefined) await removeIdle(queries, runId);
        await remove(queries, runId);
      });
    }
    const stays = ended.where((eb) => eb.or([eb("rowid", "in", newest), isLookedFor(eb)]));
    const kept = quietOf === undefined ? await stays.execute() : [];
    for (const { runId } of kept) {
      await db.write(async (queries) => await strip(queries, runId));
    }
    if (gone.length + kept.length > 0) await db.shred();
    return gone.length;
  };
}
