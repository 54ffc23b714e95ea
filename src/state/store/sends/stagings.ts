import { hash } from "node:crypto";

import { sql } from "kysely";
import { z } from "zod";

import { SupersededError } from "../../../errors.ts";
import { chunkName, laneOf } from "../../../lane-of.ts";
import { refusedAgain } from "../../../records/reject-codes.ts";
import type { Remote } from "../../../thread.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import {
  type BegunStaging,
  type StageName,
  type Staging,
  stagingRow,
  type StagingStore,
} from "../../contract/sends/stagings.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { dropStagings } from "./drop-stagings.ts";
import { isOfStage, superseded } from "./named.ts";
import type { SentKeys } from "./sent-keys.ts";
import { stagingColumns } from "./staging-columns.ts";

/** The staging of a name; undefined if there is none. */
export async function stagingOf(queries: Queries, name: StageName): Promise<Staging | undefined> {
  const found = await queries
    .selectFrom("stagings")
    .select(stagingColumns)
    .where(isOfStage(name))
    .executeTakeFirst();
  return found === undefined ? undefined : stagingRow.parse(found);
}

/**
 * Keeps a staging as it is until this transaction ends; returns whether it is staged. Its row is written, not only
 * locked: every transaction that refuses a part of it, cuts it, abandons it or commits it writes that row, too. If such
 * a transaction began earlier, and so has not seen what this one wrote, it is retried.
 */
export async function holdStaged(queries: Queries, name: StageName): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("stagings")
    .set({ state: "staged" })
    .where(isOfStage(name))
    .where("state", "=", "staged")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function newestOf(
  queries: Queries,
  { runId, chunk }: Pick<StageName, "chunk" | "runId">,
): Promise<Staging | undefined> {
  const found = await queries
    .selectFrom("stagings")
    .select(stagingColumns)
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .orderBy("stage", "desc")
    .limit(1)
    .executeTakeFirst();
  return found === undefined ? undefined : stagingRow.parse(found);
}

async function firstSend(
  queries: Queries,
  { runId }: Parameters<StagingStore["firstSend"]>[0],
): Promise<number | undefined> {
  const { first } = await queries
    .selectFrom("stagings")
    .select((eb) => eb.fn.min("send").as("first"))
    .where("runId", "=", runId)
    .executeTakeFirstOrThrow();
  return first ?? undefined;
}

function attemptIsLate(runId: string, chunk: number): SupersededError {
  return new SupersededError(
    `run ${runId}, ${chunkName(chunk)}: a later attempt stages it already`,
  );
}

function outOfOrder(runId: string, chunk: number, why: string): SupersededError {
  return new SupersededError(`run ${runId}, ${chunkName(chunk)}: ${why}`);
}

/** The error for a run whose send lock another took, because Temporal said that its workflow was closed. */
async function lockLost(queries: Queries, runId: string): Promise<SupersededError> {
  const run = await queries
    .selectFrom("runs")
    .select("kind")
    .where("runId", "=", runId)
    .executeTakeFirst();
  // No other run has the span of a backfill, or the list of a replay.
  const isAlone = run?.kind === "backfill" || run?.kind === "replay";
  const left = isAlone
    ? `begin another ${run.kind} for what this one left`
    : "a later run sends what this one left";
  return new SupersededError(`run ${runId} does not hold the send lock of its sync any more`, {
    hint: `look at \`sluice runs list\`: ${left}`,
  });
}

/** Whether a run holds a lock. */
async function holdsLock(queries: Queries, runId: string): Promise<boolean> {
  const found = await queries
    .selectFrom("locks")
    .select("name")
    .where("runId", "=", runId)
    .where("held", "=", 1)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

type Beginning = Parameters<StagingStore["beginStaging"]>[0];

/** Whether a later attempt than `by` has drawn a staging of the chunk. */
async function isLate(
  queries: Queries,
  { runId, chunk, by = firstAttempt }: Beginning,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 as one from ${sql.table("stagings")} where run_id = ${runId} and chunk = ${chunk}
      and (drawn_scheduled, drawn_attempt) > (${by.scheduledMs}, ${by.number}) limit 1`.execute(
    queries,
  );
  return rows.length > 0;
}

const firstAttempt = { scheduledMs: 0, number: 0 };

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

type Span = z.output<typeof spanRow>;

async function spanOfLane(
  queries: Queries,
  runId: string,
  lane: number,
): Promise<Span | undefined> {
  const found = await queries
    .selectFrom("lanes")
    .select(["fromPosition as from", "toPosition as to"])
    .where("runId", "=", runId)
    .where("lane", "=", lane)
    .executeTakeFirst();
  return found === undefined ? undefined : spanRow.parse(found);
}

async function spanOfRun(queries: Queries, runId: string): Promise<Span | undefined> {
  const found = await queries
    .selectFrom("runs")
    .select(["fromPosition as from", "toPosition as to"])
    .where("runId", "=", runId)
    .executeTakeFirst();
  return found === undefined ? undefined : spanRow.parse(found);
}

/** Begins a staging, as `StagingStore.beginStaging`; to be called inside a transaction. */
async function beginStaging(queries: Queries, input: Beginning): Promise<BegunStaging> {
  const { runId, chunk, host, by = firstAttempt } = input;
  if (!(await holdsLock(queries, runId))) throw await lockLost(queries, runId);
  const older = await newestOf(queries, { runId, chunk });
  if (older?.state === "committed" || older?.state === "cut") throw superseded(older);
  if (await isLate(queries, input)) throw attemptIsLate(runId, chunk);
  const { lane, last, isFirst } = laneOf(chunk);
  const before = isFirst ? undefined : await newestOf(queries, { runId, chunk: chunk - 1 });
  if (!isFirst && before?.state !== "staged" && before?.state !== "committed") {
    throw outOfOrder(runId, chunk, "the chunk before it is not staged any more");
  }
  await dropStagings(queries, { runId, from: chunk, last });
  await queries
    .deleteFrom("rejects")
    .where("runId", "=", runId)
    .where("chunk", ">=", chunk)
    .where("chunk", "<=", last)
    .execute();
  const ofLane = await spanOfLane(queries, runId, lane);
  // A lane without a span would read the whole source.
  if (ofLane === undefined && lane > 1) {
    throw outOfOrder(runId, chunk, "its lane has no span any more");
  }
  const span = ofLane ?? (await spanOfRun(queries, runId));
  const from = before?.to ?? span?.from;
  const stage = (older?.stage ?? 0) + 1;
  const { send } = await queries
    .insertInto("stagings")
    .values({
      runId,
      chunk,
      stage,
      host,
      state: "staging",
      fromPosition: toJson(from),
      drawnScheduled: by.scheduledMs,
      drawnAttempt: by.number,
    })
    .returning("send")
    .executeTakeFirstOrThrow();
  return { stage, send, from, to: span?.to ?? null };
}

function finishStage(sentKeys: SentKeys) {
  return async (
    queries: Queries,
    { counts, keys, mapping, changes, ...input }: Parameters<StagingStore["finishStage"]>[0],
  ): Promise<void> => {
    const { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 } = input;
    const files = { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
    const { read: rowsRead, ...others } = counts;
    const counted = { rowsRead, ...others };
    const { numUpdatedRows } = await queries
      .updateTable("stagings")
      .set({
        ...counted,
        ...files,
        state: "staged",
        toPosition: toJson(input.to),
        done: Number(input.done),
        bodies: JSON.stringify(input.bodies),
        mapping: mapping ?? null,
        changes: changes === undefined ? null : JSON.stringify(changes),
      })
      .where(isOfStage(input))
      .where("state", "=", "staging")
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw superseded(input);
    if (counts.records > 0)
      await sentKeys.put(queries, (await stagingOf(queries, input))?.send ?? 0, keys);
  };
}

const totalsRow = z.object({ read: z.int(), rejected: z.int(), stagedBytes: z.int() });

async function totalsBefore(
  queries: Queries,
  { runId, chunk }: Parameters<StagingStore["totalsBefore"]>[0],
): Promise<ReturnType<StagingStore["totalsBefore"]>> {
  const { last } = laneOf(chunk);
  const { rows } = await sql`
    select coalesce(sum(rows_read), 0) as read,
      coalesce(sum(case when state = 'staged' then gzip_bytes else 0 end), 0) as staged_bytes,
      coalesce(sum(rejected + split_rejected
      - (select count(*) from ${sql.table("rejects")} r
         where (r.run_id, r.chunk, r.stage) = (s.run_id, s.chunk, s.stage) and code = ${refusedAgain})), 0) as rejected
    from ${sql.table("stagings")} s where run_id = ${runId} and (chunk < ${chunk} or chunk > ${last})
      and state in ('staged', 'committed')`.execute(queries);
  return totalsRow.parse(rows[0]);
}

/** Hex digits of a digest: a person who has only the Web UI types it. */
const digestCharsMax = 12;

const hashRow = z.object({ chunk: z.int(), jsonlSha256: z.string().nullable() });

async function stagedDigest(
  queries: Queries,
  { runId }: Parameters<StagingStore["stagedDigest"]>[0],
): Promise<string> {
  const found = await queries
    .selectFrom("stagings")
    .select(["chunk", "jsonlSha256"])
    .where("runId", "=", runId)
    .where("state", "in", ["staged", "committed"])
    .orderBy("chunk")
    .execute();
  const lines = found.map((row) => Object.values(hashRow.parse(row)).join(" "));
  return hash("sha256", lines.join("\n")).slice(0, digestCharsMax);
}

/** The stagings of a store. */
export function createStagingStore(db: StateDatabase, sentKeys: SentKeys): Remote<StagingStore> {
  return {
    staging: reads(db, stagingOf),
    stagingNumbered: reads(db, async (queries, { send }: { readonly send: number }) => {
      const found = await queries
        .selectFrom("stagings")
        .select(stagingColumns)
        .where("send", "=", send)
        .executeTakeFirst();
      return found === undefined ? undefined : stagingRow.parse(found);
    }),
    committedStaging: reads(db, async (queries, name: Pick<StageName, "chunk" | "runId">) => {
      const newest = await newestOf(queries, name);
      return newest?.state === "committed" ? newest : undefined;
    }),
    newestStaging: reads(db, newestOf),
    firstSend: reads(db, firstSend),
    stagedDigest: reads(db, stagedDigest),
    beginStaging: writes(db, beginStaging),
    finishStage: writes(db, finishStage(sentKeys)),
    totalsBefore: reads(db, totalsBefore),
    dropStagings: writes(
      db,
      async (queries, { runId }: { readonly runId: string }) =>
        await dropStagings(queries, { runId }),
    ),
  };
}
