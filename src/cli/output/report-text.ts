import { reportReasonsMax } from "../../limits.ts";
import { countsSoFar } from "../../report/counts.ts";
import type { PullReport, RunReport } from "../../report/report.ts";
import type { RejectReason } from "../../state/contract/rejects/rejects.ts";
import type { StateStore } from "../../state/state-store.ts";
import { changesLines } from "../../text/changes-text.ts";
import { heldLines } from "../../text/hold-text.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { byteText, counted, durationText, grouped } from "../../text/quantities.ts";
import type { Unsendable } from "../run/unsendable.ts";
import { bold, styledOutcome } from "./style.ts";

/**
 * Characters of a position that a report shows. A longer one is left to `sluice state show`, because half of it says
 * nothing.
 */
const positionCharsMax = 60;

function positionText(position: unknown): string {
  const text = plainJson(position ?? null);
  return text === "null" || text.length > positionCharsMax ? "" : `: ${text}`;
}

function isOpen({ outcome }: RunReport): boolean {
  return outcome === "running" || outcome === "held";
}

/** Lines below one another, the first with a label. */
function labelled(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : "").padEnd(12)}${line}`);
}

/** What a run is held for, and what to do; for one that was held, when it was approved. */
function holdLines(
  { hold, outcome, run_id: runId }: RunReport,
  not: Unsendable | undefined,
): readonly string[] {
  if (hold === undefined) return [];
  const lines = labelled("held", heldLines(hold).map(plainText));
  if (outcome === "held") {
    if (not !== undefined)
      return [...lines, plainText(`  ${not.why}`), plainText(`  → ${not.hint}`)];
    return [
      ...lines,
      `  → \`sluice approve ${runId}\` sends it, \`sluice discard ${runId}\` ends it`,
    ];
  }
  return [...lines, ...(hold.approved_at === null ? [] : [`  approved    ${hold.approved_at}`])];
}

/** The rows of a sync; for a run that continues, also those that are not committed yet. */
function rowsLine(report: RunReport): string {
  const { read, sent, ...rest } = countsSoFar(report);
  const { unchanged, filtered, rejected, gone, on_the_way: onTheWay } = rest;
  const each: readonly (readonly [string, number | undefined])[] = [
    ["sent", sent],
    ["unchanged", unchanged],
    ["filtered", filtered],
    ["rejected", rejected],
    ["gone", gone],
    ["on the way", onTheWay],
  ];
  const parts = each.flatMap(([name, count]) =>
    count === undefined ? [] : `${name} ${grouped(count)}`,
  );
  const soFar = isOpen(report) ? " so far" : "";
  return (
    `  rows        read ${grouped(read ?? 0)}${soFar} = ${parts.join(" + ")}` +
    (report.balanced ? "" : "   DOES NOT BALANCE")
  );
}

/** The rows that were read but are not committed. The rows line leaves them out; the rejects below include theirs. */
function givenUpLine({ given_up: givenUp }: RunReport): readonly string[] {
  if (givenUp === undefined) return [];
  const { read, rejected } = givenUp;
  const ofThem = rejected === 0 ? "" : `, ${grouped(rejected)} of them rejected`;
  return [`  given up    ${counted(read, "row")} read${ofThem}: the next run reads them again`];
}

/** Says in words that there was nothing to send. */
function nothingLine({ counts, outcome, under_way: underWay }: RunReport): readonly string[] {
  const { read, unchanged } = counts;
  if (
    outcome === "running" ||
    outcome === "held" ||
    underWay !== undefined ||
    read === 0 ||
    unchanged < read
  )
    return [];
  const rows =
    read === 1
      ? "the row is as the service has it"
      : `all ${grouped(read)} rows are as the service has them`;
  return [`  sent        nothing: ${rows}`];
}

/** How it was sent, if something left. */
function modeLine({ bytes, mode, mode_reason: reason }: RunReport): readonly string[] {
  return bytes.json === 0 || mode === null ? [] : [`  mode        ${mode}: ${reason ?? ""}`];
}

function sentLines(report: RunReport): readonly string[] {
  const { bytes } = report;
  if (bytes.json === 0) return [];
  return [
    `  sent as     ${counted(report.chunks, "chunk")}, ${counted(report.parts, "part")}, ` +
      `${byteText(bytes.json)} of JSON${bytes.gzip === 0 ? "" : `, ${byteText(bytes.gzip)} compressed`}`,
  ];
}

/** What a sync did with the rows. */
function syncLines(report: RunReport, position: unknown): readonly string[] {
  const { checkpoint, possibly_repeated: repeated, stamped_in_future: future } = report;
  return [
    ...modeLine(report),
    rowsLine(report),
    ...givenUpLine(report),
    ...nothingLine(report),
    ...sentLines(report),
    ...labelled("why", changesLines(report.changes).map(plainText)),
    ...requestLines(report),
    ...(repeated === 0 ? [] : [`  repeated    possibly ${counted(repeated, "record")}`]),
    ...(checkpoint.before === checkpoint.after
      ? []
      : [
          `  checkpoint  version ${checkpoint.before} → ${checkpoint.after}${positionText(position)}`,
        ]),
    ...(future === 0
      ? []
      : [`  future      ${counted(future, "row")} stamped later than now, left for a later run`]),
  ];
}

function paidText({ calls, pages }: PullReport): string {
  if (calls > 0 || pages === 0) return `${counted(calls, "call")} for ${counted(pages, "page")}`;
  return `0 new calls; ${counted(pages, "page")} from an earlier run, already paid`;
}

/** What a pull did with the results. */
function pullLines(report: RunReport, pull: PullReport): readonly string[] {
  const { counts } = report;
  const { domains, possibly_paid_twice: twice, repeated } = pull;
  return [
    `  results     read ${grouped(counts.read)} = written ${grouped(pull.written)} + unchanged ` +
      `${grouped(pull.unchanged)} + without a row ${grouped(pull.missing)} + rejected ${grouped(counts.rejected)}` +
      (report.balanced ? "" : "   DOES NOT BALANCE"),
    ...(domains === undefined
      ? []
      : [
          `  domains     ${grouped(domains.done)} done, ${grouped(domains.refused)} refused, of ` +
            grouped(domains.listed),
        ]),
    `  paid        ${paidText(pull)}${twice === 0 ? "" : `, possibly ${grouped(twice)} of them twice`}`,
    ...requestLines(report),
    ...(pull.continued ? ["  continued     where an earlier run stopped"] : []),
    ...(repeated === 0
      ? []
      : [`  came twice  ${counted(repeated, "result")}: they changed places meanwhile`]),
    ...(pull.finished ? [] : ["  left        not everything came: the next run continues"]),
  ];
}

function requestLines({ requests, retries, waited_ms: waitedMs }: RunReport): readonly string[] {
  if (requests === 0) return [];
  const again = retries === 0 ? "" : `, ${retries} tried again`;
  const waited = waitedMs === 0 ? "" : `, waited ${durationText(waitedMs)} for rate limits`;
  return [`  requests    ${requests}${again}${waited}`];
}

/** The first reject of each code of a run, by code. Only the store here knows the places that hold keys. */
export async function firstRejects(
  state: StateStore,
  { run_id: runId }: RunReport,
): Promise<FirstRejects> {
  const reasons = await state.rejectReasons({ runId, limit: reportReasonsMax });
  return new Map(reasons.map((reason) => [reason.code, reason]));
}

type FirstRejects = ReadonlyMap<string, Pick<RejectReason, "field" | "place">>;

function rejectLines(
  { reject_reasons: reasons, run_id: runId }: RunReport,
  firsts?: FirstRejects,
): readonly string[] {
  if (reasons.length === 0) return [];
  const lines = reasons.map(({ code, reason, count, example }) => {
    const { place = example, field = null } = firsts?.get(code) ?? {};
    const first = plainText(field === null ? place : `${place} (${field})`);
    return `${grouped(count)} × ${plainText(reason)}, first at ${first}`;
  });
  return [...labelled("rejects", lines), `  → sluice rejects list ${runId}`];
}

/** Facts about a run that a terminal may show; its report, which goes into Temporal, must not contain them. */
export type KnownHere = {
  readonly firsts?: FirstRejects | undefined;
  /** The position of a sync's checkpoint. */
  readonly position?: unknown;
  /** For a held run: why it cannot be approved, and what to do. @default it can, as far as is known */
  readonly not?: Unsendable | undefined;
};

/** The run report for a terminal. */
export function reportText(report: RunReport, { firsts, position, not }: KnownHere = {}): string {
  const { error, pull } = report;
  const lines = [
    "",
    bold(styledOutcome(report.outcome, `${report.sync}: ${outcomeText(report.outcome)}`)) +
      ` ${isOpen(report) ? "for" : "in"} ${durationText(report.duration_ms)}   run ${report.run_id}`,
    ...holdLines(report, not),
    ...(error === undefined ? [] : [`  ${plainText(error.message)}`]),
    ...(error?.hint === undefined ? [] : [`  → ${plainText(error.hint)}`]),
    ...(report.note === undefined ? [] : [`  note        ${plainText(report.note)}`]),
    ...(pull === undefined ? syncLines(report, position) : pullLines(report, pull)),
    ...rejectLines(report, firsts),
    ...report.warnings.map((text) => `  warning     ${plainText(text)}`),
  ];
  return lines.join("\n");
}
