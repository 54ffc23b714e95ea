import type { BackfillPlan, PlanSample } from "../backfill/plan.ts";
import { byteText, counted, grouped, roughTimeText } from "./quantities.ts";

const unknown = "not known";

function about(value: number | null, text: (value: number) => string = grouped): string {
  return value === null ? unknown : `about ${text(value)}`;
}

/** How many rows there are to read, and whether they were counted. */
export function rowsText(rows: number | null, isCounted: boolean): string {
  if (rows === null) return `${unknown}: the source cannot say`;
  return isCounted ? `${grouped(rows)}, counted` : `${about(rows)}, estimated`;
}

/** The rows to read, as a clause; `quoted` marks text that a person typed. */
export function plannedSpanText(
  { from, to, keys, limit, time_zone: zone }: BackfillPlan,
  quoted: (text: string) => string,
): string {
  const most = limit === null ? "" : `, ${counted(limit, "row")} at most`;
  if (keys !== null) return `the rows of ${counted(keys, "key")}${most}`;
  if (from === null && to === null) return `all rows, from the first to the last${most}`;
  const begin = from === null ? "the first row" : quoted(from);
  const end = to === null ? "the last row" : quoted(to);
  return `from ${begin} to ${end}${most}; times are in ${quoted(zone)}`;
}

/** The outcomes of the rows of a sample; undefined if it has none. */
export function sampleCounts(sample: PlanSample): string | undefined {
  const { rows, filtered } = sample;
  if (rows === 0) return undefined;
  const rejected = rows - filtered - sample.new - sample.changed - sample.unchanged;
  return [
    `${grouped(sample.new)} new`,
    `${grouped(sample.changed)} changed`,
    `${grouped(sample.unchanged)} unchanged`,
    `${grouped(filtered)} filtered`,
    `${grouped(rejected)} rejected`,
  ].join(", ");
}

/** The numbers of a plan with their names; every estimate says "about". */
export function planRows(plan: BackfillPlan): readonly (readonly [string, string])[] {
  return [
    ["rows to read", rowsText(plan.rows, plan.is_counted)],
    ["records to send", about(plan.records)],
    ["bytes as JSON", about(plan.json_bytes, byteText)],
    ["bytes compressed", about(plan.gzip_bytes, byteText)],
    ["chunks", about(plan.chunks)],
    ["lanes", grouped(plan.lanes.length)],
    ["mode", `${plan.mode}: ${plan.mode_reason}`],
    [
      "send",
      plan.send === "all"
        ? "all: records that the service holds already are sent again"
        : "changed: records that the service is known to hold are left out",
    ],
    ["requests", about(plan.requests)],
    ["time", `${about(plan.seconds, roughTimeText)}, by ${plan.seconds_from}`],
  ];
}
