import { type Insertable, type RawBuilder, sql } from "kysely";
import { z } from "zod";

import { CheckpointMovedError, NotBalancedError } from "../../../errors.ts";
import { chunkName, laneOf } from "../../../lane-of.ts";
import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import type { CommitStore } from "../../contract/sends/commit.ts";
import type { StageName, Staging } from "../../contract/sends/stagings.ts";
import { ranges } from "../../ranges.ts";
import { commitDoubts } from "../doubts/doubts.ts";
import { toJson } from "../json.ts";
import { noteDeployed } from "../keys/adoptions.ts";
import type { KeyKeeping } from "../keys/key-keeping.ts";
import { noteMapping } from "../keys/mapping-notes.ts";
import { textsOf } from "../lists.ts";
import { markReplayed } from "../rejects/replays.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { Tables } from "../tables.ts";
import { isOfStage, superseded } from "./named.ts";
import { createPreparing } from "./prepare-commit.ts";
import { countRepeated } from "./receipts.ts";
import { forgetRefusalsOf } from "./refusals.ts";
import type { SentKeys } from "./sent-keys.ts";
import { holdStaged, stagingOf } from "./stagings.ts";

/** Kinds of run that leave the checkpoint where it is. */
const otherKinds: readonly string[] = ["replay", "backfill", "resend"];

/** Moves the checkpoint past a chunk, for a run that reads on from it; for a replay, marks the rejects that it took. */
async function moveCheckpoint(
  queries: Queries,
  { runId, chunk, from, to }: Staging,
  at: string,
): Promise<void> {
  const run = await queries
    .selectFrom("runs")
    .select(["kind", "target", "sync", "checkpointVersion", "oldestOpen"])
    .where("runId", "=", runId)
    .executeTakeFirst();
  if (run === undefined) throw new Error(`run ${runId} is not in the store`);
  if (run.kind === "replay") {
    await markReplayed(queries, { runId, from: Number(from), to: Number(to) });
  }
  if (otherKinds.includes(run.kind)) return;
  const { target, sync, checkpointVersion, oldestOpen } = run;
  const version = checkpointVersion + 1;
  const checkpoint = { version, position: toJson(to), oldestOpen, runId, updatedAt: at };
  const { numUpdatedRows } = await queries
    .updateTable("checkpoints")
    .set(checkpoint)
    .where("target", "=", target)
    .where("sync", "=", sync)
    .where("version", "=", checkpointVersion)
    .executeTakeFirst();
  const isMoved =
    numUpdatedRows === 1n ||
    (checkpointVersion === 0 && (await beginCheckpoint(queries, { target, sync, ...checkpoint })));
  if (!isMoved) {
    throw new CheckpointMovedError(
      `run ${runId}: the checkpoint moved since this run began; ${chunkName(chunk)} was accepted and is not ` +
        "covered by it",
      { hint: "look at `sluice state show`, then run the sync again" },
    );
  }
  await queries
    .updateTable("runs")
    .set({ checkpointVersion: version })
    .where("runId", "=", runId)
    .execute();
}

/** Saves the first checkpoint of a sync; returns whether there was none. */
async function beginCheckpoint(
  queries: Queries,
  checkpoint: Insertable<Tables["checkpoints"]>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto("checkpoints")
    .values(checkpoint)
    .onConflict((conflict) => conflict.columns(["target", "sync"]).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

const acceptedRow = z.object({
  ranges: jsonColumn.pipe(ranges),
  landing: jsonColumn.pipe(z.array(z.int())),
});

const truth = z.union([z.boolean(), z.int()]).transform(Boolean);

const seldomRow = z.object({ setId: z.int(), isDoubted: truth, isRefused: truth, isStray: truth });

/** Whether a table has rows of a set `f`, in SQL. */
function isAny(table: string): RawBuilder<unknown> {
  return sql`exists (select 1 from ${sql.table(table)} one where one.set_id = f.id)`;
}

/** What else a commit has to handle for the set of its run; one query, because there is nearly always nothing. */
async function seldomOf(queries: Queries, runId: string): Promise<z.output<typeof seldomRow>> {
  const { rows } = await sql`
    select f.id as set_id, ${isAny("doubts")} as is_doubted, ${isAny("refusals")} as is_refused,
      ${isAny("strayKeys")} as is_stray
    from ${sql.table("fingerprintSets")} f join ${sql.table("runs")} r on r.target = f.target and r.sync = f.sync
    where r.run_id = ${runId}`.execute(queries);
  return rows[0] === undefined ? ofNoSet : seldomRow.parse(rows[0]);
}

const ofNoSet = { setId: 0, isDoubted: false, isRefused: false, isStray: false };

/** Takes over what was in doubt and has been sent again. */
async function takeDoubts(
  queries: Queries,
  sentKeys: SentKeys,
  { send, runId, chunk, stage, setId }: Staging & { readonly setId: number },
): Promise<void> {
  const parts = await queries
    .selectFrom("receipts")
    .select(["ranges", "landing"])
    .where(isOfStage({ runId, chunk, stage }))
    .where("state", "=", "accepted")
    .execute();
  const accepted = parts.map((part) => acceptedRow.parse(part));
  const repeated = await commitDoubts(queries, sentKeys, { setId, send, accepted });
  if (repeated > 0) await countRepeated(queries, { runId, records: repeated });
}

/**
 * Takes over what was in doubt and has been sent again, notes the mapping that made it, and forgets keys that nobody
 * asks for any more; unless the chunk is cut, also the refusals of what was sent. To be called inside a transaction.
 */
export async function takeOver(
  queries: Queries,
  sentKeys: SentKeys,
  staging: Staging & { readonly isCut?: boolean },
): Promise<void> {
  const { send, runId, isCut = false } = staging;
  const { setId, isDoubted, isRefused, isStray } = await seldomOf(queries, runId);
  if (isRefused && !isCut) await forgetRefusalsOf(queries, sentKeys, staging);
  if (isDoubted) await takeDoubts(queries, sentKeys, { ...staging, setId });
  if (isStray) await findStray(queries, sentKeys, { setId, send });
  await noteMapping(queries, { setId, send });
  await noteDeployed(queries, send);
  await queries
    .deleteFrom("sentKeys")
    .where("send", "=", send)
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom("requests as q").select("q.request").where("q.setId", "=", setId)),
      ),
    )
    .execute();
}

/** Removes keys that were sent from the stray ones. */
async function findStray(
  queries: Queries,
  sentKeys: SentKeys,
  { setId, send }: { readonly setId: number; readonly send: number },
): Promise<void> {
  const keys = textsOf(queries, await sentKeys.all(queries, send));
  await queries
    .deleteFrom("strayKeys")
    .where("setId", "=", setId)
    .where("key", "in", keys)
    .execute();
}

/** How many records of a staging are accepted, and how many of its parts are still open. */
async function sumsOf(
  queries: Queries,
  { runId, chunk, stage }: StageName,
): Promise<{ readonly accepted: number; readonly open: number }> {
  const { rows } = await sql<{ readonly accepted: number; readonly open: number }>`
    select coalesce(sum(case when state = 'accepted' then records else 0 end), 0) as accepted,
      coalesce(sum(case when state in ('accepted', 'refused', 'split') then 0 else 1 end), 0) as open
    from ${sql.table("receipts")} where run_id = ${runId} and chunk = ${chunk} and stage = ${stage}`.execute(
    queries,
  );
  return rows[0] ?? { accepted: 0, open: 0 };
}

async function isCommitted(
  queries: Queries,
  { runId, chunk }: Pick<StageName, "chunk" | "runId">,
): Promise<boolean> {
  const found = await queries
    .selectFrom("stagings")
    .select("send")
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .where("state", "=", "committed")
    .executeTakeFirst();
  return found !== undefined;
}

/** @throws {NotBalancedError} a part of a staging is not accepted, or the chunk before it is not committed. */
async function assertBalanced(
  queries: Queries,
  { runId, chunk, stage, splitRejected, records }: Staging,
): Promise<void> {
  const { accepted, open } = await sumsOf(queries, { runId, chunk, stage });
  const isInOrder =
    laneOf(chunk).isFirst || (await isCommitted(queries, { runId, chunk: chunk - 1 }));
  if (open === 0 && accepted + splitRejected === records && isInOrder) return;
  throw new NotBalancedError(
    `run ${runId}, ${chunkName(chunk)}: ${accepted} accepted and ${splitRejected} refused of ` +
      `${records} records, ${open} parts ` +
      `open${isInOrder ? "" : ", the chunk before is not committed"}: ` +
      "no checkpoint is saved",
  );
}

/** Settles the receipts of a staging that was accepted; to be called inside a transaction. */
export async function settleReceipts(queries: Queries, name: StageName, at: string): Promise<void> {
  await queries
    .updateTable("receipts")
    .set({ state: "committed", updatedAt: at })
    .where(isOfStage(name))
    .where("state", "=", "accepted")
    .execute();
}

/** What commits need besides queries. */
export type CommitTools = { readonly keys: KeyKeeping; readonly sentKeys: SentKeys };

/** The staging, once all of it is accepted; undefined if it is already committed. */
async function readyOf(queries: Queries, name: StageName): Promise<Staging | undefined> {
  const found = await stagingOf(queries, name);
  if (found?.state === "committed") return undefined;
  if (found?.state !== "staged") throw superseded(name);
  await assertBalanced(queries, found);
  return found;
}

/** The commits of a store. */
export function createCommitStore(db: StateDatabase, tools: CommitTools): Remote<CommitStore> {
  const { keys, sentKeys } = tools;
  const commitChunk: Remote<CommitStore>["commitChunk"] = async ({ at, ...name }) => {
    const known = await stagingOf(db.queries, name);
    if (known?.state === "committed") return;
    const of = { runId: name.runId, send: known?.send ?? 0 };
    await db.writeParts(await keys.steps(db.queries, of), async (queries, write) => {
      await holdStaged(queries, name);
      if ((await readyOf(queries, name)) !== undefined) await write(queries);
    });
    await db.write(async (queries) => {
      const found = await readyOf(queries, name);
      if (found === undefined) return;
      await moveCheckpoint(queries, found, at);
      await takeOver(queries, sentKeys, found);
      await settleReceipts(queries, name, at);
      await queries
        .updateTable("stagings")
        .set({ state: "committed", committedAt: Date.parse(at) })
        .where("send", "=", found.send)
        .execute();
      await keys.end(queries, of);
    });
  };
  return { commitChunk, prepareCommit: createPreparing(db, keys) };
}
