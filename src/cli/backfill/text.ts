import { z } from "zod";

import type { BackfillPlan, PlanSample } from "../../backfill/plan.ts";
import type { StoredPlan } from "../../state/contract/runs/backfills.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { byteText, counted, durationText, grouped } from "../../text/quantities.ts";
import { bold } from "../output/style.ts";
import { table } from "../output/table.ts";

const unknown = "not known";

function about(value: number | null, text: (value: number) => string): string {
  return value === null ? unknown : `about ${text(value)}`;
}

function rowsText(rows: number | null, isCounted: boolean): string {
  if (rows === null) return `${unknown}: the source cannot say`;
  return isCounted ? `${grouped(rows)}, counted` : `about ${grouped(rows)}, estimated`;
}

function spanText({ from, to, keys, limit, time_zone: zone }: BackfillPlan): string {
  const most = limit === null ? "" : `, ${counted(limit, "row")} at most`;
  if (keys !== null) return `the rows of ${counted(keys, "key")}${most}`;
  if (from === null && to === null) return `all rows${most}`;
  return `from ${from ?? "the first row"} to ${to ?? "the last row"}${most}; times are in ${zone}`;
}

function sampleText(sample: PlanSample): string {
  const { rows, filtered } = sample;
  if (rows === 0) return "there is no row";
  const rejected = rows - filtered - sample.new - sample.changed - sample.unchanged;
  const parts = [
    `${grouped(sample.new)} new`,
    `${grouped(sample.changed)} changed`,
    `${grouped(sample.unchanged)} unchanged`,
    `${grouped(filtered)} filtered`,
    `${grouped(rejected)} rejected`,
  ];
  return `of the first ${counted(rows, "row")}: ${parts.join(", ")}`;
}

function planRows(plan: BackfillPlan): readonly (readonly [string, string])[] {
  const { sample, lanes } = plan;
  const time = about(plan.seconds, (seconds) => durationText(seconds * 1_000));
  return [
    ["span", spanText(plan)],
    ["rows to read", rowsText(plan.rows, plan.is_counted)],
    ["records to send", about(plan.records, grouped)],
    ["JSON", about(plan.json_bytes, byteText)],
    ["compressed", about(plan.gzip_bytes, byteText)],
    ["chunks", about(plan.chunks, grouped)],
    ["lanes", grouped(lanes.length)],
    ["mode", `${plan.mode}: ${plan.mode_reason}`],
    ["send", plan.send === "all" ? "all, known ones too" : "changed: known ones are left out"],
    ["requests", about(plan.requests, grouped)],
    ["time", `${time}, by ${plan.seconds_from}`],
    ["sample", sampleText(sample)],
    ...sample.fields.map(({ field, count }, index): [string, string] => [
      index === 0 ? "  changed" : "",
      `${grouped(count)} × ${field}`,
    ]),
    ...sample.rejects.map(({ reason, count }, index): [string, string] => [
      index === 0 ? "  rejected" : "",
      `${grouped(count)} × ${reason}`,
    ]),
  ];
}

/** What is to be approved is read to its end. */
const whole = { width: Infinity };

/** A plan as a table for a terminal; everything that is estimated says "about". */
export function planText(plan: BackfillPlan): string {
  const { lanes, is_counted: isCounted, sync } = plan;
  const heading = ["", `what it does, planned ${plan.planned_at.slice(0, 16)}Z`];
  const rows = planRows(plan).map((row) => row.map(plainText));
  const laneRows = lanes.map((count, index) => [String(index + 1), rowsText(count, isCounted)]);
  return [
    bold(`${sync}: plan of a backfill, nothing is sent yet`),
    table([heading, ...rows], whole),
    ...(lanes.length < 2 ? [] : [table([["lane", "rows to read"], ...laneRows])]),
  ].join("\n");
}

const sample = z.looseObject({
  place: z.string(),
  key: z.string(),
  status: z.string(),
  changed_fields: z.array(z.string()).optional(),
  record: z.unknown(),
});

/** Sample records of a plan: personal data, for the eyes of the one who asked alone. */
export function samplesText({ plan, samples }: StoredPlan): string {
  if (samples.length === 0) return `${plan.sync}: the plan has no sample records`;
  const lines = samples.flatMap((text) => {
    const { place, key, status, changed_fields: fields, record } = sample.parse(JSON.parse(text));
    const changed = fields === undefined ? "" : `: ${fields.join(", ")}`;
    return [plainText(`${place} (${key}): ${status}${changed}`), `  ${plainJson(record)}`];
  });
  return [bold(`${plan.sync}: ${counted(samples.length, "sample record")}`), ...lines].join("\n");
}

/** The same for another program. */
export function samplesFacts({ samples }: StoredPlan): readonly unknown[] {
  return samples.map((text): unknown => JSON.parse(text));
}
