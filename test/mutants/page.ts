import { table } from "../../bench/report.ts";
import type { Mutant } from "./mutant.ts";
import { isCaught, verdicts, type Verdict } from "./verdict.ts";

/** The row of one mutant in docs/proof/mutants.md. */
export type Row = {
  /** `codeOf` the mutant when it was tried. */
  readonly code: string;
  readonly verdict: Verdict;
  /** The time of its test, with the mutant. */
  readonly seconds: number;
};

const head = ["mutant", "what it plants", "the test that must notice it", "tier", "code", "", "s"];

/** A row as `pageTable` writes it; the text between the id and the code is for people. */
const rowPattern = /^\| (\w+) +\|.*\| ([\da-f]{8}) \| \**([a-z ]+?)\** +\| ([\d.]+) +\|$/gm;

/** The rows of the page, by mutant. */
export function readRows(page: string): ReadonlyMap<string, Row> {
  const found = page.matchAll(rowPattern);
  return new Map(
    [...found].flatMap(([, id = "", code = "", shown = "", seconds = ""]) => {
      const verdict = verdicts.find((known) => known === shown);
      return verdict === undefined ? [] : [[id, { code, verdict, seconds: Number(seconds) }]];
    }),
  );
}

/** The table of the tried mutants, in their order. */
export function pageTable(mutants: readonly Mutant[], rows: ReadonlyMap<string, Row>): string {
  const lines = mutants.flatMap((mutant) => {
    const { id, plants, test } = mutant;
    const row = rows.get(id);
    if (row === undefined) return [];
    const { code, verdict, seconds } = row;
    const shown = isCaught(verdict) ? verdict : `**${verdict}**`;
    const by = `${test.title} (\`${test.file}\`)`;
    return [[id, plants, by, tierOf(mutant), code, shown, seconds.toFixed(1)]];
  });
  return table([head, ...lines]);
}

/** The command that catches it: `npm test`, or only `npm run prove`, and then why. */
function tierOf({ whyProve }: Mutant): string {
  return whyProve === undefined ? "test" : `prove: ${whyProve}`;
}

/** Whether a row says that a mutant with this code is caught. */
export function isFresh(row: Row | undefined, code: string): boolean {
  return row?.code === code && isCaught(row.verdict);
}
