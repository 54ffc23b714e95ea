import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";

import type { Remote } from "../../../thread.ts";
import type { PruneRuns, RunStore } from "../../contract/runs/runs.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { Tables } from "../tables.ts";

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

/** Removes everything kept for a run, except what fingerprints depend on. */
async function remove(queries: Queries, runId: string): Promise<void> {
  const sends = queries.selectFrom("stagings").select("send").where("runId", "=", runId);
  await queries.deleteFrom("requests").where("send", "in", sends).execute();
  await queries.deleteFrom("sentKeys").where("send", "in", sends).execute();
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

/** The removal of old runs from a store. */
export function createPruning(db: StateDatabase): Remote<RunStore>["pruneRuns"] {
  return async ({ before, quietOf, limit }: PruneRuns) => {
    let old = db.queries
      .selectFrom("runs")
      .select("runId")
      .where("startedAt", "<", before)
      .where((expression) => isSettled(expression, before));
    if (quietOf === undefined) old = old.where("endedAt", "is not", null);
    else {
      old = old
        .where("sync", "=", quietOf)
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
              .where("r.sync", "=", quietOf)
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
    const gone = await (limit === undefined ? old : old.limit(limit)).execute();
    for (const { runId } of gone) {
      await db.write(async (queries) => {
        if (quietOf !== undefined) await removeIdle(queries, runId);
        await remove(queries, runId);
      });
    }
    if (gone.length > 0) await db.shred();
    return gone.length;
  };
}
