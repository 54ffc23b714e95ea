import { z } from "zod";

/** The tests' record of each cell. */
export const triedCell = z.object({
  kind: z.string(),
  phase: z.enum(["before", "staging", "sending", "between", "ended"]),
  action: z.string(),
  /** Null if there was no such event to reset to. */
  told: z.string().nullable(),
  violations: z.array(z.string()),
});

/** An action on a run of a kind in a phase, and its result. */
export type TriedCell = z.output<typeof triedCell>;

const phases = ["before", "staging", "sending", "between", "ended"] as const;

/** Names of actions for a person. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^Reset to where .*/, "Reset to a task in between"],
  [/^Reset to another event.*/, "Reset to an event that is not a workflow task"],
  [/^Reset the execution before.*/, "Reset of the execution before"],
  [/^Start .* same id/, "Start Workflow Like This One, the same id"],
  [/^Start .* another id/, "Start Workflow Like This One, another id"],
  [/^(Signal|Update) hello/, "$1 that it does not know"],
  [/^(Signal|Update) (\w+)/, "$1 `$2`"],
];

/** Results of cells for a person. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/^refused: Workflow execution already started.*/, "refused, because it runs"],
  [/^refused: workflow execution already completed.*/, "refused, because it has ended"],
  [/^refused: 3 INVALID_ARGUMENT.*/, "refused"],
  [/^refused: No registered handler.*/, "refused: no such update"],
  [/^refused: ([^;:]+).*/s, "refused: $1"],
  [/^the run: done; the other: busy.*/, "continues; the new one ends as `busy`"],
  [/^the run: done; the other: waits.*/, "continues; the new one waits"],
  [/^the run: done; the other: fails: (\w+).*/s, "continues; the new one fails: `$1`"],
  [/^the run: cancelled.*/, "ends as `cancelled`"],
  [/^the run: discarded.*/, "ends as `discarded`"],
  [/^the run: terminated.*/, "ends; later `abandoned`"],
  [/^the run: fails: (\w+).*/s, "fails: `$1`"],
];

function first(rules: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  const rule = rules.find(([pattern]) => pattern.test(text));
  return rule === undefined ? undefined : text.replace(...rule);
}

function phraseOf({ told, phase, action }: TriedCell): string {
  if (told === null) return "";
  const known = first(phrases, told);
  if (known !== undefined) return known;
  if (phase !== "ended") return told.includes("the other") ? "both continue" : "continues";
  if (action.startsWith("Start")) return "a new run";
  return action.startsWith("Reset") ? "ends as before, sends nothing" : "nothing happens";
}

/** The common result of the cells of one action and phase, and the kinds with other results. */
function textOf(cells: readonly TriedCell[]): string {
  const kinds = new Map<string, Set<string>>();
  for (const cell of cells) {
    const phrase = phraseOf(cell);
    if (phrase !== "") kinds.set(phrase, (kinds.get(phrase) ?? new Set()).add(cell.kind));
  }
  const [common, ...others] = [...kinds].toSorted(([, a], [, b]) => b.size - a.size);
  if (common === undefined) return "–";
  const differing = others.map(([phrase, own]) => `; ${[...own].join(", ")}: ${phrase}`);
  return `${common[0]}${differing.join("")}`;
}

/** The rows of the table in docs/operations.md: actions by phase. */
export function webUiRows(cells: readonly TriedCell[]): string[][] {
  const head = [
    "",
    "before the first chunk",
    "staging",
    "sending",
    "between two executions",
    "ended",
  ];
  const rows = new Map<string, TriedCell[]>();
  for (const cell of cells) {
    const name = first(names, cell.action) ?? cell.action;
    rows.set(name, [...(rows.get(name) ?? []), cell]);
  }
  const order = [...rows.keys()].toSorted((a, b) => rankOf(a) - rankOf(b));
  const bodies = order.map((name) => [
    name,
    ...phases.map((phase) => textOf((rows.get(name) ?? []).filter((cell) => cell.phase === phase))),
  ]);
  return [head, ...bodies];
}

const order = ["Cancel", "Terminate", "Reset", "Start", "Signal", "Update"];

function rankOf(name: string): number {
  return order.findIndex((begin) => name.startsWith(begin)) * 100 + (name.includes("`") ? 1 : 0);
}
