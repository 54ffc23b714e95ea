import type { SyncConfig } from "../../config/config.ts";
import type { KnownRecord, WhyUnknown } from "../../state/contract/keys/known-records.ts";
import type { Gone } from "../../state/contract/keys/vanished.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import type { Explained, ExplainedKey, ExplainedPull, ExplainedRow, SentBy } from "./explained.ts";
import { rejectLine, rejectState } from "./reject-text.ts";

const unknownTexts: Readonly<Record<WhyUnknown, string>> = {
  underWay: "a run has staged it and is not done with it",
  unsettled: "a run sent it, and whether and how it was taken is not known",
  untaken: "the last record of it was refused, or given up before it was taken",
  forgotten: "its known state does not count any more: the store was reset, restored or rebound",
  otherwise: "it was sent before the sync had `send: all`, which compares otherwise",
};

type ExplainedRecord = Extract<ExplainedRow, { readonly is: "record" }>;

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** What the next run does with a record that it reads, and why. */
function nextText(
  { change, isSent: sends, isDuplicate }: ExplainedRecord,
  { send }: SyncConfig,
): string {
  if (isDuplicate) return "rejects it, as long as an earlier row has its key (duplicate_key)";
  if (change.status === "new") return "sends it: it was never accepted";
  if (change.status === "unknown") return "sends it: nothing says what the service holds";
  if (change.status === "changed") {
    const { fields } = change;
    if (fields === undefined) return "sends it: it changed; in which fields was not kept";
    if (fields.length === 0) return "sends it: it changed, in no field that is followed";
    return `sends it: changed in ${fields.join(", ")}`;
  }
  if (!sends) return `leaves it: it is as it was ${"isAdopted" in change ? "adopted" : "accepted"}`;
  return send === "all"
    ? "sends it: unchanged, and the sync has `send: all`"
    : "sends it: unchanged, and accepted longer ago than `resend_after`";
}

function sourceLines(row: ExplainedRow, sync: SyncConfig): [string, string][] {
  const source: [string, string] = ["source", row.place];
  if (row.is === "filtered") {
    return [
      source,
      ["mapping", "leaves it out: it makes no record of it"],
      ["next run", "leaves it out, too"],
    ];
  }
  if (row.is === "reject") {
    const { field, reason, code } = row.reject;
    const of = field === undefined ? "" : `${field} `;
    const next = "rejects it, until the row or the mapping is another";
    return [source, ["mapping", `rejects it: ${of}${reason} (${code})`], ["next run", next]];
  }
  return [source, ["mapping", plainJson(row.record)], ["next run", nextText(row, sync)]];
}

/** A staging's run, kind and chunk, and since when the run is held. */
function stagingText({ staging, run }: SentBy): string {
  const kind = run === undefined ? ", which was pruned" : ` (${run.kind})`;
  const held = run && openHold(run);
  const since = held === undefined ? "" : `, held since ${held.since}`;
  return `run ${staging.runId}${kind}, chunk ${staging.chunk}${since}`;
}

function senderText({ staging, run, parts }: SentBy): string {
  const files = parts.flatMap(({ fileKey }) => (fileKey === null ? [] : [fileKey]));
  const one = parts.length > 1 ? `one of its ${parts.length} parts` : "its only part";
  const part = parts.length === 0 ? "" : `, ${one}`;
  const file = files.length === 0 ? "" : `, file ${files.join(" or ")}`;
  return `sent by ${stagingText({ staging, run, parts })}${part}${file}`;
}

function knownText(known: KnownRecord, sender: SentBy | undefined): string {
  if (known.state === "new") return "holds nothing of it from this sync";
  if (known.state === "unknown") {
    const of = sender === undefined ? "" : `: ${stagingText(sender)}`;
    return `unknown: ${unknownTexts[known.why]}${of}`;
  }
  const { acceptedAt, adopted } = known;
  const since = `holds what it accepted at ${isoOf(acceptedAt)}`;
  const held = sender === undefined ? since : `${since}, ${senderText(sender)}`;
  if (adopted === undefined) return held;
  return `${held}; adopted at ${adopted.at}: another record counts as known (${adopted.reason})`;
}

/** A key that is back, but that no run has read since, is still shown as gone; the run says as of when. */
function goneLine({ runId, at }: Gone): [string, string] {
  return [
    "gone",
    `run ${runId} was the first that read the whole source and did not find it, at ${at}`,
  ];
}

function keyLines({ known, sender, rejects, gone }: ExplainedKey): [string, string][] {
  return [
    ...(gone === null ? [] : [goneLine(gone)]),
    ["service", knownText(known, sender)],
    ...rejects.map((reject): [string, string] => [
      "reject",
      `${reject.createdAt} run ${reject.runId}: ${rejectLine(reject)}${
        rejectState(reject) === "open" ? " [open]" : ""
      }`,
    ]),
  ];
}

function pullLine({ pull, columns, last }: ExplainedPull): [string, string] {
  const ran =
    last === undefined
      ? "it never ran"
      : `its last run began at ${last.startedAt} and ${
          last.outcome === null ? "continues" : `wrote ${counted(last.sent, "row")}`
        }`;
  return ["pull", `${pull} writes ${columns.join(", ")} of such rows; ${ran}`];
}

function withoutRows({
  isPlace,
  rows,
  failed,
}: Pick<Explained, "failed" | "isPlace" | "rows">): [string, string][] {
  if (failed !== undefined) {
    const { message, hint } = failed;
    return [["source", `cannot be asked: ${message}${hint === undefined ? "" : ` → ${hint}`}`]];
  }
  if (rows === undefined) return [["source", "single rows of it cannot be read"]];
  if (rows.length > 0) return [];
  const text = isPlace
    ? "has no row of this place: no row begins there, or it has no file that is called so"
    : "has no row of this name; a file's rows are named by place, and --scan reads all";
  return [["source", text]];
}

/** Whether nothing at all is known about a name. */
export function isUnheardOf({ rows, keys }: Explained): boolean {
  const hasNone = keys.every(({ known, rejects }) => known.state === "new" && rejects.length === 0);
  return (rows ?? []).length === 0 && hasNone;
}

/** An explanation for a person: each fact, with what it is about. */
export function explainedFacts(
  { isPlace, rows, keys, pulls, failed }: Explained,
  sync: SyncConfig,
): [string, string][] {
  return [
    ...withoutRows({ isPlace, rows, failed }),
    ...(rows ?? []).flatMap((row) => sourceLines(row, sync)),
    ...keys.flatMap(keyLines),
    ...pulls.map(pullLine),
  ];
}

/** The same for a terminal: a line for each fact. */
export function explainText(explained: Explained, sync: SyncConfig): string {
  const { name } = explained;
  const texts = explainedFacts(explained, sync).map(
    ([what, text]) => `  ${what.padEnd(8)}  ${plainText(text)}`,
  );
  return [plainText(`${sync.name}, ${name}`), ...texts].join("\n");
}

function rowJson(row: ExplainedRow, sync: SyncConfig): object {
  if (row.is === "filtered") return { place: row.place, is: "filtered" };
  if (row.is === "reject") {
    const { code, field, reason } = row.reject;
    return { place: row.place, is: "reject", code, field, reason };
  }
  const { place, key, record, change, isSent } = row;
  const fields = change.status === "changed" ? { changed_fields: change.fields } : undefined;
  const next = nextText(row, sync);
  return {
    place,
    is: "record",
    key,
    status: change.status,
    ...fields,
    sends: isSent,
    next,
    record,
  };
}

function senderJson({ staging, run, parts }: SentBy): object {
  return {
    run_id: staging.runId,
    kind: run?.kind,
    chunk: staging.chunk,
    held_since: run && openHold(run)?.since,
    parts: parts.map(({ part, form, fileKey }) => ({ part, form, file_key: fileKey })),
  };
}

function knownJson(known: KnownRecord, sender: SentBy | undefined): object {
  if (known.state === "new") return { state: "new" };
  return {
    ...(known.state === "unknown"
      ? { state: "unknown", why: unknownTexts[known.why] }
      : { state: "accepted", accepted_at: isoOf(known.acceptedAt), adopted: known.adopted }),
    ...(sender && senderJson(sender)),
  };
}

/** An explanation for a program. */
export function explainJson(
  { name, rows, keys, pulls, failed }: Explained,
  sync: SyncConfig,
): string {
  return plainJson({
    sync: sync.name,
    name,
    error: failed && { code: failed.code, message: failed.message, hint: failed.hint },
    rows: rows?.map((row) => rowJson(row, sync)),
    keys: keys.map(({ key, known, sender, rejects, gone }) => ({
      key,
      gone_since: gone === null ? undefined : { run_id: gone.runId, at: gone.at },
      service: knownJson(known, sender),
      rejects: rejects.map((reject) => ({
        run_id: reject.runId,
        at: reject.createdAt,
        place: reject.place,
        code: reject.code,
        field: reject.field,
        reason: reject.reason,
        state: rejectState(reject),
        replayed_by: reject.replayedBy,
      })),
    })),
    pulls: pulls.map(({ pull, columns, last }) => ({
      pull,
      columns,
      last_run: last?.runId,
      written: last?.sent,
    })),
  });
}
