import { plainJson, plainText } from "../plain-text.ts";
import type { PullReport, RunReport } from "../report.ts";
import { bold } from "./context.ts";

/** A number with its thousands set apart. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** Bytes as a person reads them. */
export function byteText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Milliseconds as a person reads them. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1_000)];
  return minutes < 60
    ? `${minutes} min ${seconds} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Characters of a position that a report shows; `sluice state show` shows it whole. */
const positionCharsMax = 80;

function positionText(position: unknown): string {
  const text = plainJson(position ?? null);
  if (text === "null") return "";
  return `: ${text.length > positionCharsMax ? `${text.slice(0, positionCharsMax)}…` : text}`;
}

/** A count and what it counts. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** What a sync did with the rows. */
function syncLines(report: RunReport, position: unknown): readonly string[] {
  const { counts, bytes, checkpoint } = report;
  const sent =
    counts.would_send === undefined
      ? `sent ${grouped(counts.sent)}`
      : `would send ${grouped(counts.would_send)}`;
  return [
    `  rows        read ${grouped(counts.read)} = ${sent} + unchanged ${grouped(counts.unchanged)}` +
      ` + filtered ${grouped(counts.filtered)} + rejected ${grouped(counts.rejected)}` +
      (report.balanced ? "" : "   DOES NOT BALANCE"),
    `  sent as     ${counted(report.chunks, "chunk")}, ${counted(report.parts, "part")}, ` +
      `${byteText(bytes.json)} of JSON${bytes.gzip === 0 ? "" : `, ${byteText(bytes.gzip)} compressed`}`,
    requestLine(report),
    `  repeated    ${report.possibly_repeated === 0 ? "nothing" : `possibly ${grouped(report.possibly_repeated)} records`}`,
    `  checkpoint  version ${checkpoint.before} → ${checkpoint.after}${positionText(position)}`,
    ...(report.stamped_in_future === 0
      ? []
      : [
          `  future      ${counted(report.stamped_in_future, "row")} stamped later than now, left for a later run`,
        ]),
  ];
}

/** What a pull did with the results. */
function pullLines(report: RunReport, pull: PullReport): readonly string[] {
  const { counts } = report;
  const { domains, possibly_paid_twice: twice, repeated } = pull;
  return [
    `  results     read ${grouped(counts.read)} = written ${grouped(pull.written)} + unchanged ${grouped(pull.unchanged)}` +
      ` + without a row ${grouped(pull.missing)} + rejected ${grouped(counts.rejected)}` +
      (report.balanced ? "" : "   DOES NOT BALANCE"),
    ...(domains === undefined
      ? []
      : [
          `  domains     ${grouped(domains.done)} done, ${grouped(domains.refused)} refused, of ${grouped(domains.listed)}`,
        ]),
    `  paid        ${counted(pull.calls, "call")} for ${counted(pull.pages, "page")}` +
      (twice === 0 ? "" : `, possibly ${grouped(twice)} of them twice`),
    requestLine(report),
    ...(pull.continued ? ["  went on     where an earlier run stopped"] : []),
    ...(repeated === 0
      ? []
      : [`  came twice  ${counted(repeated, "result")}: they changed places meanwhile`]),
    ...(pull.finished ? [] : ["  left        not everything came: the next run goes on"]),
  ];
}

function requestLine({ requests, retries, waited_ms: waitedMs }: RunReport): string {
  return `  requests    ${requests}, ${retries} tried again, waited ${durationText(waitedMs)} for rate limits`;
}

/** The run report for a terminal. `position` is where the checkpoint of a sync stands, when it is known. */
export function reportText(report: RunReport, position?: unknown): string {
  const { error, pull } = report;
  const lines = [
    "",
    bold(`${report.sync}: ${report.outcome.replaceAll("_", " ")}`) +
      ` in ${durationText(report.duration_ms)}   run ${report.run_id}`,
    ...(error === undefined ? [] : [`  ${plainText(error.message)}`]),
    ...(error?.hint === undefined ? [] : [`  → ${plainText(error.hint)}`]),
    ...(report.note === undefined ? [] : [`  note        ${plainText(report.note)}`]),
    ...(report.mode === null ? [] : [`  mode        ${report.mode}: ${report.mode_reason ?? ""}`]),
    ...(pull === undefined ? syncLines(report, position) : pullLines(report, pull)),
    ...report.reject_reasons.map(
      ({ reason, count, example }, index) =>
        `  ${index === 0 ? "rejects" : "       "}     ${grouped(count)} × ${plainText(reason)}, first at ${plainText(example)}`,
    ),
    ...report.warnings.map((text) => `  warning     ${plainText(text)}`),
    ...(report.reject_reasons.length === 0
      ? []
      : [`  → sluice rejects list --run ${report.run_id}`]),
  ];
  return lines.join("\n");
}
