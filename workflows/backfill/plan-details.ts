import type { BackfillPlan, PlanSample } from "../../src/backfill/plan.ts";
import { lanesMax, planFieldsMax, reportReasonsMax } from "../../src/limits.ts";
import { fenced } from "../sync/progress.ts";

/** Characters of one piece of text: all of them together stay far below the 20,000 bytes that details may have. */
const textCharsMax = 160;

function short(text: string, max = textCharsMax): string {
  const flat = text.replaceAll(/\s+/g, " ");
  // A cut may fall into a pair of surrogates.
  return flat.length <= max ? flat : `${flat.slice(0, max - 1).toWellFormed()}…`;
}

/** Text that a person typed or a source chose, so that it stays text in Markdown. */
function code(text: string): string {
  return `\`${short(text).replaceAll("`", "'")}\``;
}

/** A number with its thousands set apart. */
function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

function about(value: number | null): string {
  return value === null ? "not known" : `about ${grouped(value)}`;
}

function byteText(bytes: number | null): string {
  if (bytes === null) return "not known";
  if (bytes < 1_000) return `about ${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `about ${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`;
}

function timeText(seconds: number | null): string {
  if (seconds === null) return "not known";
  if (seconds < 90) return `about ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${minutes} min` : `about ${(minutes / 60).toFixed(1)} h`;
}

function rowsText(rows: number | null, isCounted: boolean): string {
  if (rows === null) return "not known: the source cannot say";
  return isCounted ? `${grouped(rows)}, counted` : `${about(rows)}, estimated`;
}

/** What is read, in words. */
function spanText({ from, to, keys, limit, time_zone: zone }: BackfillPlan): string {
  const most = limit === null ? "" : `, ${grouped(limit)} rows at most`;
  if (keys !== null) return `The rows of ${grouped(keys)} key${keys === 1 ? "" : "s"}${most}.`;
  if (from === null && to === null) return `All rows, from the first to the last${most}.`;
  const begin = from === null ? "the first row" : code(from);
  const end = to === null ? "the last row" : code(to);
  return `From ${begin} → to ${end}${most}. Times are in ${code(zone)}.`;
}

type Lines = readonly (readonly [string, string])[];

function tableRow([name, value]: readonly [string, string]): string {
  return `| ${name} | ${value.replaceAll("|", "\\|")} |`;
}

function table(head: readonly [string, string], lines: Lines): string {
  return [tableRow(head), "|---|---:|", ...lines.map(tableRow)].join("\n");
}

function planLines(plan: BackfillPlan): Lines {
  const sent =
    plan.send === "all"
      ? "all: what the service holds already is sent again"
      : "changed: what the service is known to hold is left out";
  return [
    ["rows to read", rowsText(plan.rows, plan.is_counted)],
    ["records to send", about(plan.records)],
    ["bytes as JSON", byteText(plan.json_bytes)],
    ["bytes compressed", byteText(plan.gzip_bytes)],
    ["chunks", about(plan.chunks)],
    ["lanes", String(plan.lanes.length)],
    ["mode", `${short(plan.mode)}: ${short(plan.mode_reason)}`],
    ["send", sent],
    ["requests", about(plan.requests)],
    ["time", `${timeText(plan.seconds)}, by ${short(plan.seconds_from)}`],
  ];
}

function laneText({ lanes, is_counted: isCounted }: BackfillPlan): readonly string[] {
  if (lanes.length < 2) return [];
  const shown = lanes
    .slice(0, lanesMax)
    .map((rows, index): [string, string] => [String(index + 1), rowsText(rows, isCounted)]);
  return [table(["lane", "rows"], shown)];
}

function counts<Item extends { readonly count: number }>(
  items: readonly Item[],
  max: number,
  nameOf: (item: Item) => string,
): string {
  const shown = items.slice(0, max);
  return fenced(
    shown.map((item) => `${grouped(item.count)} × ${short(nameOf(item), 100)}`).join("\n"),
  );
}

function sampleText(sample: PlanSample): readonly string[] {
  const { rows, fields, rejects, filtered } = sample;
  if (rows === 0) return ["**Sample:** the span holds no row."];
  const rejected = rows - filtered - sample.new - sample.changed - sample.unchanged;
  const title =
    `**Sample of the first ${grouped(rows)} row${rows === 1 ? "" : "s"}**, against what the service is known to hold: ` +
    `${grouped(sample.new)} new, ${grouped(sample.changed)} changed, ${grouped(sample.unchanged)} unchanged, ` +
    `${grouped(filtered)} filtered, ${grouped(rejected)} rejected.`;
  const changed =
    fields.length === 0
      ? []
      : ["Changed, by field:", counts(fields, planFieldsMax, ({ field }) => field)];
  const refused =
    rejects.length === 0
      ? []
      : [
          "Rejected, by reason:",
          counts(rejects, reportReasonsMax, ({ reason, code: name }) => `${reason} (${name})`),
        ];
  return [title, ...changed, ...refused];
}

/**
 * Current details of a backfill that is planned: what it will do and what a person may do now; `approval`
 * says whether it waits.
 */
export function planDetails(plan: BackfillPlan, approval: string): string {
  return [
    `### ${plan.sync}: the plan of a backfill. Nothing is sent yet`,
    spanText(plan),
    table(["", ""], planLines(plan)),
    ...laneText(plan),
    ...sampleText(plan.sample),
    `**Now** ${short(approval, 300)}.`,
    "To decide: **More Actions → Send an Update**, then `approve` begins it and `discard` ends it; both are answered here. " +
      "`sluice backfill --show <workflow id>` shows sample records.",
  ].join("\n\n");
}
