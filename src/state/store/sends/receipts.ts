import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  type BegunPart,
  type NewPart,
  type PartForm,
  type PartName,
  type Receipt,
  receiptRow,
  type ReceiptStore,
} from "../../contract/sends/receipts.ts";
import type { StageName, Staging } from "../../contract/sends/stagings.ts";
import type { Ranges } from "../../ranges.ts";
import { isSet } from "../dialect.ts";
import { endTaken, endUnknown, forgetRequest } from "../doubts/requests.ts";
import { byClock, reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { beginNoted, noteDoubts } from "./leaving-part.ts";
import { isOfStage, isPart, superseded } from "./named.ts";
import type { SentKeys } from "./sent-keys.ts";
import { stagingOf } from "./stagings.ts";

const columns = [
  ...(["runId", "chunk", "stage", "part", "form", "state", "ranges", "records"] as const),
  ...(["jsonBytes", "gzipBytes", "gzipSha256", "fileKey", "attempts"] as const),
] as const;

/** The part that a staging itself defines: a file holds everything, a body what the staging put into it. */
function partOf(send: Staging, part: number, form: PartForm): NewPart {
  if (form === "file") {
    const { records, jsonBytes, gzipBytes, jsonlSha256, gzipSha256 } = send;
    const files = { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
    return { part, ranges: [[0, records]], records, ...files };
  }
  const body = send.bodies?.[part];
  if (body === undefined) throw superseded(send);
  const files = { jsonBytes: body.bytes, gzipBytes: 0, jsonlSha256: null, gzipSha256: null };
  return { part, ranges: [[body.from, body.to]], records: body.to - body.from, ...files };
}

/** The receipt of a part; undefined when there is none. */
export async function receiptOf(queries: Queries, name: PartName): Promise<Receipt | undefined> {
  const found = await queries
    .selectFrom("receipts")
    .select(columns)
    .where(isPart(name))
    .executeTakeFirst();
  return found === undefined ? undefined : receiptRow.parse(found);
}

async function knownReceipt(queries: Queries, name: PartName): Promise<Receipt> {
  const found = await receiptOf(queries, name);
  if (found === undefined) throw superseded(name);
  return found;
}

/** The receipts of a staging, in order of their numbers. */
export async function receiptsOf(queries: Queries, name: StageName): Promise<Receipt[]> {
  const found = await queries
    .selectFrom("receipts")
    .select(columns)
    .where(isOfStage(name))
    .orderBy("part")
    .execute();
  return found.map((row) => receiptRow.parse(row));
}

/** A part whose receipt is to be made. */
type PartToInsert = NewPart &
  StageName & {
    readonly parent: number | null;
    readonly form: PartForm;
    readonly host: string;
    readonly at: string;
  };

/** Inserts the receipt of a part that has not left; to be called inside a transaction. */
export async function insertPart(
  queries: Queries,
  { at, ranges, ...part }: PartToInsert,
): Promise<void> {
  const { runId, chunk, stage, part: number, parent, form, host, records } = part;
  const { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 } = part;
  const files = { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
  await queries
    .insertInto("receipts")
    .values({
      ...files,
      runId,
      chunk,
      stage,
      part: number,
      parent,
      form,
      host,
      records,
      state: "staged",
      ranges: JSON.stringify(ranges),
      updatedAt: at,
    })
    .execute();
}

/**
 * The state of a part that leaves now, to be confirmed under the key `confirm` or otherwise to be sent; undefined if
 * nothing leaves.
 */
function leavingState(
  { state, fileKey }: Receipt,
  confirm: string | undefined,
): "confirming" | "sending" | undefined {
  if (confirm === undefined)
    return state === "staged" || state === "sending" ? "sending" : undefined;
  const isOurs = state === "uploaded" || (state === "confirming" && fileKey === confirm);
  return isOurs ? "confirming" : undefined;
}

async function rangesToSend(
  queries: Queries,
  { form, ...name }: Parameters<ReceiptStore["rangesToSend"]>[0],
): Promise<Ranges | undefined> {
  const send = await stagingOf(queries, name);
  if (send?.state !== "staged" && send?.state !== "committed") throw superseded(name);
  const part = await receiptOf(queries, name);
  if (part?.state === "accepted") return undefined;
  return (part ?? partOf(send, name.part, form)).ranges;
}

/** Whether a part of the run with at most as many bytes was too large. */
async function isTooLarge(
  queries: Queries,
  { runId, form, gzipBytes, jsonBytes }: Receipt,
): Promise<boolean> {
  const bytes = form === "file" ? gzipBytes : jsonBytes;
  const found = await queries
    .selectFrom("receipts")
    .select("part")
    .where("runId", "=", runId)
    .where("form", "=", form)
    .where(isSet(queries, "tooLarge"))
    .where(form === "file" ? "gzipBytes" : "jsonBytes", "<=", bytes)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Counts records of a run that may have been sent twice; to be called inside a transaction. */
export async function countRepeated(
  queries: Queries,
  { runId, records }: { readonly runId: string; readonly records: number },
): Promise<void> {
  await queries
    .updateTable("runs")
    .set((run) => ({ possiblyRepeated: run("possiblyRepeated", "+", records) }))
    .where("runId", "=", runId)
    .execute();
}

function beginPart(db: StateDatabase, sentKeys: SentKeys) {
  return async (
    queries: Queries,
    { form, confirm, host, at, request, ...name }: Parameters<ReceiptStore["beginPart"]>[0],
  ): Promise<BegunPart> => {
    const staging = await stagingOf(queries, name);
    if (staging?.state !== "staged" && staging?.state !== "committed") throw superseded(name);
    const { send } = staging;
    if ((await receiptOf(queries, name)) === undefined) {
      const part = partOf(staging, name.part, form);
      await insertPart(queries, { ...name, ...part, parent: null, form, host, at });
    }
    const found = await knownReceipt(queries, name);
    const { state, records } = found;
    const isToSplit = state === "staged" && (await isTooLarge(queries, found));
    const leaves = isToSplit ? undefined : leavingState(found, confirm);
    if (leaves === undefined) return { ...found, send, request: null };
    // Repeating a PUT sends no record twice: an object that was never confirmed is never processed.
    const wasPerhapsAccepted = state === leaves && (confirm !== undefined || form === "body");
    if (wasPerhapsAccepted) await countRepeated(queries, { records, runId: name.runId });
    const fileKey = confirm === undefined ? {} : { fileKey: confirm };
    await queries
      .updateTable("receipts")
      .set((receipt) => ({
        state: leaves,
        attempts: receipt("attempts", "+", 1),
        host,
        updatedAt: at,
        leftAt: sql<number>`coalesce(left_at, ${Date.parse(at)})`,
        ...fileKey,
      }))
      .where(isPart(name))
      .execute();
    const begun = await knownReceipt(queries, name);
    if (request === undefined) return { ...begun, send, request: null };
    const noted = { ...name, send, ranges: begun.ranges };
    const leaving = { sentKeys, noted, attempt: begun.attempts };
    const now = await db.now(queries, request.now);
    return { ...begun, send, request: await beginNoted(queries, leaving, { ...request, now }) };
  };
}

async function claimKey(
  queries: Queries,
  { attempts, fileKey, ...name }: Parameters<ReceiptStore["claimKey"]>[0],
): Promise<boolean> {
  const others = await queries
    .selectFrom("receipts")
    .select("part")
    .where("fileKey", "=", fileKey)
    .where((eb) => eb.not(isPart(name)))
    .limit(1)
    .executeTakeFirst();
  if (others !== undefined) return false;
  await queries
    .updateTable("receipts")
    .set({ fileKey })
    .where(isPart(name))
    .where("attempts", "=", attempts)
    .where("state", "=", "sending")
    .execute();
  return true;
}

type Move = Parameters<ReceiptStore["movePart"]>[0];

/** Moves a receipt; returns whether its part was accepted too late. */
async function move(
  db: StateDatabase,
  queries: Queries,
  { fileKey, request, attempts, state, at, ...name }: Move,
): Promise<boolean> {
  const reached =
    state === "uploaded"
      ? { uploadedAt: Date.parse(at) }
      : state === "accepted"
        ? { acceptedAt: Date.parse(at) }
        : {};
  const { numUpdatedRows } = await queries
    .updateTable("receipts")
    .set({ state, updatedAt: at, ...reached, ...(fileKey === undefined ? {} : { fileKey }) })
    .where(isPart(name))
    .where("attempts", "=", attempts)
    .where("state", "in", ["sending", "confirming"])
    .executeTakeFirst();
  if (state === "accepted" || typeof fileKey === "string") await forgetFaults(queries, name);
  const isDropped = (await stagingOf(queries, name))?.state === "dropped";
  // Accepted in an attempt that another one followed, or for an abandoned staging: perhaps over newer data.
  const isLate = state === "accepted" && (numUpdatedRows === 0n || isDropped);
  if (request !== undefined && !isLate) await forgetRequest(queries, request.number);
  const isNoted =
    request !== undefined &&
    isLate &&
    (await endTaken(queries, request.number, await db.now(queries, request.now)));
  // If the request was thought to be over, nobody knows any more which keys it had.
  if (isLate && isDropped && !isNoted) await retireSet(queries, name.runId);
  return isLate && isDropped;
}

async function forgetFaults(queries: Queries, { runId, chunk }: StageName): Promise<void> {
  await queries
    .deleteFrom("faults")
    .where("runId", "=", runId)
    .where("chunk", "=", chunk)
    .execute();
}

/** Makes every fingerprint of a run's sync unknown. */
async function retireSet(queries: Queries, runId: string): Promise<void> {
  await sql`
    update ${sql.table("fingerprintSets")}
    set valid_after = (select coalesce(max(send), 0) from ${sql.table("stagings")} s)
    where (target, sync) = (select target, sync from ${sql.table("runs")} r where run_id = ${runId})`.execute(
    queries,
  );
}

/** The receipts of a store. */
export function createReceiptStore(db: StateDatabase, sentKeys: SentKeys): Remote<ReceiptStore> {
  return {
    receipt: reads(db, receiptOf),
    rangesToSend: reads(db, rangesToSend),
    noteDoubts: writes(
      db,
      byClock(
        db,
        async (
          queries,
          { form, stream, now, ...name }: Parameters<ReceiptStore["noteDoubts"]>[0],
        ): Promise<number[]> => {
          const send = await stagingOf(queries, name);
          if (send?.state !== "staged") return [];
          const ranges = await rangesToSend(queries, { ...name, form });
          if (ranges === undefined) return [];
          const noted = { ...name, send: send.send, ranges };
          return await noteDoubts(queries, { sentKeys, noted, now, stream });
        },
      ),
    ),
    receipts: reads(db, receiptsOf),
    beginPart: writes(db, beginPart(db, sentKeys)),
    claimKey: writes(db, claimKey),
    movePart: async (input: Move) => {
      const isTooLate = await db.write(async (queries) => await move(db, queries, input));
      if (isTooLate) throw superseded(input);
    },
    endRequest: writes(
      db,
      byClock(
        db,
        async (queries, { number, now }: Parameters<ReceiptStore["endRequest"]>[0]) =>
          await endUnknown(queries, number, now),
      ),
    ),
  };
}
