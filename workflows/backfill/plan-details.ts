import type { BackfillPlan, PlanSample } from "../../src/backfill/plan.ts";
import { lanesMax, planFieldsMax, reportReasonsMax } from "../../src/limits.ts";
import { planRows, rowsText, sampleCounts, plannedSpanText } from "../../src/text/plan-text.ts";
import { counted, grouped } from "../../src/text/quantities.ts";
import { fenced } from "../sync/progress.ts";

/** Characters of one piece of text: all of them together stay far below the 20,000 bytes that details may have. */
const textCharsMax = 160;

function short(text: string, max = textCharsMax): string {
  const flat = text.replaceAll(/\s+/g, " ");
  // A cut may split a surrogate pair.
  return flat.length <= max ? flat : `${flat.slice(0, max - 1).toWellFormed()}…`;
}

/** Text that a person typed or a source chose, quoted so that Markdown shows it as text. */
function code(text: string): string {
  return `\`${short(text).replaceAll("`", "'")}\``;
}

/** Describes what is read, in a sentence. */
function spanSentence(plan: BackfillPlan): string {
  const text = plannedSpanText(plan, code);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A plan with its texts from elsewhere cut to fit. */
function shortened(plan: BackfillPlan): BackfillPlan {
  return {
    ...plan,
    mode: short(plan.mode),
    mode_reason: short(plan.mode_reason),
    seconds_from: short(plan.seconds_from),
  };
}

type Lines = readonly (readonly [string, string])[];

function tableRow([name, value]: readonly [string, string]): string {
  return `| ${name} | ${value.replaceAll("|", "\\|")} |`;
}

function table(head: readonly [string, string], lines: Lines): string {
  return [tableRow(head), "|---|---:|", ...lines.map(tableRow)].join("\n");
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
  const { rows, fields, rejects } = sample;
  const became = sampleCounts(sample);
  if (became === undefined) return ["**Sample:** the span holds no row."];
  const title =
    `**Sample of the first ${counted(rows, "row")}**, against what the service is known to hold: ` +
    `${became}.`;
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
 * Current details of a planned backfill: what it will do and what a person may do now; `approval` says whether it
 * waits.
 */
export function planDetails(plan: BackfillPlan, approval: string): string {
  return [
    `### ${plan.sync}: the plan of a backfill. Nothing is sent yet`,
    spanSentence(plan),
    table(["", ""], planRows(shortened(plan))),
    ...laneText(plan),
    ...sampleText(plan.sample),
    `**Now** ${short(approval, 300)}.`,
    "To decide: **More Actions → Send an Update**, then `approve` begins it and `discard` ends " +
      "it; both are answered here. " +
      "`sluice backfill --show <workflow id>` shows sample records.",
  ].join("\n\n");
}
