import type { Bound, Broken } from "../guardrails/guardrails.ts";
import type { Hold } from "../state/contract/runs/holds.ts";
import { grouped, shareOf } from "./quantities.ts";

/** The word for each figure. */
const counted: Readonly<Record<string, string>> = {
  rejected_above: "rejected",
  changed_above: "changed",
  new_above: "new",
  vanished_above: "vanished",
  rows_below: "read",
};

/** The total behind each share. */
const ofWhat: Readonly<Record<string, string>> = {
  rejected_above: "rows",
  vanished_above: "records that were there before",
  rows_below: "rows of the run before",
};

/** A share for a person, to a tenth of a percent; a smaller one in two digits. */
function percent(share: number): string {
  const percents = shareOf(share, 100);
  return `${percents < 0.1 ? Number(percents.toPrecision(2)) : Math.round(percents * 10) / 10}%`;
}

function boundText(bound: Bound): string {
  return "share" in bound ? `${shareOf(bound.share, 100)}%` : grouped(bound.count);
}

/** A broken guardrail in words: `changed_above 30%: 31,204 of 100,000 known records changed`. */
export function brokenText({ guardrail, figure, of, bound }: Broken): string {
  const what = counted[guardrail] ?? "changed in it";
  const from = ofWhat[guardrail] ?? "known records";
  const limit = `${guardrail} ${boundText(bound)}`;
  if (of === null) return `${limit}: ${grouped(figure)} ${what}`;
  const share = of === 0 ? "" : ` (${percent(figure / of)})`;
  return `${limit}: ${grouped(figure)} of ${grouped(of)} ${from} ${what}${share}`;
}

/** Places of example records by kind; empty if there are none. */
function exampleLines(examples: Hold["examples"] = []): readonly string[] {
  const byKind = Map.groupBy(examples, ({ kind }) => kind);
  return [...byKind].map(
    ([kind, some]) => `${kind}, for example: ${some.map(({ place }) => place).join(", ")}`,
  );
}

/** Why a run is held, one line each, and places of some of its records. */
export function heldLines({
  broken,
  examples,
}: Pick<Hold, "broken" | "examples">): readonly string[] {
  if (broken.length > 0) return [...broken.map(brokenText), ...exampleLines(examples)];
  return ["the approved records had to be staged again, and came out differently"];
}
