import { type PartName, type PartForm, type NewPart } from "../../contract/sends/receipts.ts";
import { type Receipt, type ReceiptStore, receiptRow } from "../../contract/sends/receipts.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { Staging, StagingStore } from "../../contract/sends/stagings.ts";
import type { Database, Statement } from "../database.ts";
import { all, count, first } from "../database.ts";
import { createRequests } from "../doubts/requests.ts";
import { createNoting, type Noting } from "./leaving-part.ts";
import { superseded } from "./stagings.ts";

const columns = `run_id as runId, chunk, stage, part, form, state, ranges, records, json_bytes as jsonBytes,
  gzip_bytes as gzipBytes, gzip_sha256 as gzipSha256, file_key as fileKey, attempts`;

/** The part that a staging itself brings: a file holds everything, a body what staging put into it. */
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

function prepareReceipts(
  db: Database,
): Record<
  | "select"
  | "list"
  | "tooLarge"
  | "begin"
  | "repeat"
  | "isTaken"
  | "claim"
  | "move"
  | "forget"
  | "retire",
  Statement
> {
  const thisPart = "run_id = $runId and chunk = $chunk and stage = $stage and part = $part";
  return {
    select: db.prepare(`select ${columns} from receipts where ${thisPart}`),
    list: db.prepare(
      `select ${columns} from receipts where run_id = $runId and chunk = $chunk and stage = $stage order by part`,
    ),
    tooLarge: db.prepare(
      `select count(*) from receipts where run_id = $runId and form = $form and too_large
         and case form when 'file' then gzip_bytes else json_bytes end <= $bytes`,
    ),
    begin: db.prepare(
      `update receipts set state = $now, attempts = attempts + 1, host = $host, updated_at = $at,
         file_key = coalesce($fileKey, file_key) where ${thisPart}`,
    ),
    repeat: db.prepare(
      "update runs set possibly_repeated = possibly_repeated + $records where run_id = $runId",
    ),
    isTaken: db.prepare(
      `select count(*) from receipts where file_key = $fileKey and not (${thisPart})`,
    ),
    claim: db.prepare(
      `update receipts set file_key = $fileKey
       where ${thisPart} and attempts = $attempts and state = 'sending'`,
    ),
    retire: db.prepare(
      `update fingerprint_sets set valid_after = (select coalesce(max(send), 0) from stagings)
       where (target, sync) = (select target, sync from runs where run_id = $runId)`,
    ),
    forget: db.prepare("delete from faults where run_id = $runId and chunk = $chunk"),
    move: db.prepare(
      `update receipts set state = $state, updated_at = $at,
        file_key = case when $keepKey then file_key else $fileKey end
       where ${thisPart} and attempts = $attempts and state in ('sending', 'confirming')`,
    ),
  };
}

/** Inserts the receipt of a part that has not left; to be called inside a transaction. */
export function insertPart(db: Database): (
  part: NewPart &
    StageName & {
      readonly parent: number | null;
      readonly form: PartForm;
      readonly host: string;
      readonly at: string;
    },
) => void {
  const insert = db.prepare(
    `insert into receipts (run_id, chunk, stage, part, parent, form, state, ranges, records, json_bytes, gzip_bytes,
       jsonl_sha256, gzip_sha256, host, updated_at)
     values ($runId, $chunk, $stage, $part, $parent, $form, 'staged', $ranges, $records, $jsonBytes, $gzipBytes,
       $jsonlSha256, $gzipSha256, $host, $at)`,
  );
  return (part) => void insert.run({ ...part, ranges: JSON.stringify(part.ranges) });
}

/**
 * The state of a part that leaves now, to be confirmed under the key `confirm` or else to be sent; undefined
 * where nothing leaves.
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

function createKnown(receipt: ReceiptStore["receipt"]): (name: PartName) => Receipt {
  return ({ runId, chunk, stage, part }) => {
    const found = receipt({ runId, chunk, stage, part });
    if (found === undefined) throw superseded({ runId, chunk, stage });
    return found;
  };
}

function createRangesToSend(
  stagings: StagingStore,
  receipt: ReceiptStore["receipt"],
): ReceiptStore["rangesToSend"] {
  return ({ form, ...name }) => {
    const send = stagings.staging(name);
    if (send?.state !== "staged" && send?.state !== "committed") throw superseded(name);
    const part = receipt(name);
    if (part?.state === "accepted") return undefined;
    return (part ?? partOf(send, name.part, form)).ranges;
  };
}

function createNotingDoubts(
  db: Database,
  {
    stagings,
    rangesToSend,
    noting,
  }: Pick<ReceiptStore, "rangesToSend"> & {
    readonly stagings: StagingStore;
    readonly noting: Noting;
  },
): ReceiptStore["noteDoubts"] {
  return ({ form, stream, now, ...name }) =>
    db.write(() => {
      const send = stagings.staging(name);
      const sent = send?.state === "staged" ? rangesToSend({ ...name, form }) : undefined;
      if (send === undefined || sent === undefined) return [];
      return noting.doubt({ ...name, send: send.send, ranges: sent }, { now, stream });
    });
}

/** The receipts of a SQLite store. */
export function createReceiptStore(db: Database, stagings: StagingStore): ReceiptStore {
  const statements = prepareReceipts(db);
  const receipt: ReceiptStore["receipt"] = (name) => first(receiptRow, statements.select, name);
  const insert = insertPart(db);
  const known = createKnown(receipt);
  const requests = createRequests(db);
  const noting = createNoting(db);
  const rangesToSend = createRangesToSend(stagings, receipt);
  return {
    receipt,
    rangesToSend,
    noteDoubts: createNotingDoubts(db, { stagings, rangesToSend, noting }),
    receipts: (name) => all(receiptRow, statements.list, name),
    beginPart: ({ form, confirm, host, at, request, ...name }) =>
      db.write(() => {
        const send = stagings.staging(name);
        if (send?.state !== "staged" && send?.state !== "committed") throw superseded(name);
        if (receipt(name) === undefined) {
          insert({ ...name, ...partOf(send, name.part, form), parent: null, form, host, at });
        }
        const found = known(name);
        const { state, records } = found;
        const bytes = found.form === "file" ? found.gzipBytes : found.jsonBytes;
        const size = { runId: name.runId, form: found.form, bytes };
        const isTooLarge = state === "staged" && count(statements.tooLarge, size) > 0;
        const now = isTooLarge ? undefined : leavingState(found, confirm);
        if (now === undefined) return { ...found, request: null };
        // A PUT that is repeated repeats nothing: an object that was never confirmed is never processed.
        const wasPerhapsAccepted = state === now && (confirm !== undefined || form === "body");
        if (wasPerhapsAccepted) statements.repeat.run({ records, runId: name.runId });
        statements.begin.run({ ...name, now, host, at, fileKey: confirm ?? null });
        const begun = known(name);
        const leaving = { ...name, send: send.send, ranges: begun.ranges, attempt: begun.attempts };
        const number = request === undefined ? null : noting.begin(leaving, request);
        return { ...begun, request: number };
      }),
    claimKey: (input) =>
      db.write(() => {
        if (count(statements.isTaken, input) > 0) return false;
        statements.claim.run(input);
        return true;
      }),
    movePart: ({ fileKey, request, ...input }) => {
      const { state } = input;
      const isTooLate = db.write(() => {
        const key = { keepKey: fileKey === undefined ? 1 : 0, fileKey: fileKey ?? null };
        const { changes } = statements.move.run({ ...input, ...key });
        if (state === "accepted" || typeof fileKey === "string") statements.forget.run(input);
        const isDropped = stagings.staging(input)?.state === "dropped";
        // Taken by an attempt that another one followed, or by a staging that was given up: perhaps over newer data.
        const isLate = state === "accepted" && (changes === 0 || isDropped);
        if (request !== undefined && !isLate) requests.forget(request.number);
        const isNoted =
          request !== undefined && isLate && requests.endTaken(request.number, request.now);
        // Of a request that was held to be over nobody knows any more which keys it had.
        if (isLate && isDropped && !isNoted) statements.retire.run(input);
        return isLate && isDropped;
      });
      if (isTooLate) throw superseded(input);
    },
    endRequest: ({ number, now }) => db.write(() => requests.endUnknown(number, now)),
  };
}
