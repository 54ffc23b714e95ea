import { z } from "zod";

import type { BackfillPlan } from "../../backfill/plan.ts";
import type { StoredPlan } from "../../state/contract/runs/backfills.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { planRows, rowsText, sampleCounts, plannedSpanText } from "../../text/plan-text.ts";
import { counted, grouped } from "../../text/quantities.ts";
import { bold } from "../output/style.ts";
import { table } from "../output/table.ts";

function planTable(plan: BackfillPlan): readonly (readonly [string, string])[] {
  const { sample } = plan;
  const became = sampleCounts(sample);
  return [
    ["span", plannedSpanText(plan, (text) => text)],
    ...planRows(plan),
    [
      "sample",
      became === undefined
        ? "there is no row"
        : `the first ${counted(sample.rows, "row")}: ${became}`,
    ],
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

/** A plan that has to be approved is shown in full. */
const whole = { width: Infinity };

/** A plan as a table for a terminal; everything that is estimated says "about". */
export function planText(plan: BackfillPlan): string {
  const { lanes, is_counted: isCounted, sync } = plan;
  const heading = ["", `what it does, planned ${plan.planned_at.slice(0, 16)}Z`];
  const rows = planTable(plan).map((row) => row.map(plainText));
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

/** Sample records of a plan: personal data, only for the person who asked. */
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
