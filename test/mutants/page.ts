import { table } from "../../bench/report.ts";
import type { Mutant } from "./mutant.ts";
import { isCaught, verdicts, type Verdict } from "./verdict.ts";

/** What docs/proof/mutants.md says of one mutant. */
export type Row = {
  /** `codeOf` the mutant when it was tried. */
  readonly code: string;
  readonly verdict: Verdict;
  /** Of its test, with the mutant. */
  readonly seconds: number;
};

const head = ["mutant", "what it plants", "the test that must notice it", "tier", "code", "", "s"];

/** A row as `pageTable` writes it; what stands between the id and the code is for people. */
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

/** The table of the mutants that were tried, in their order. */
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

/** Which command catches it: `npm test`, or `npm run prove` alone, and then why. */
function tierOf({ whyProve }: Mutant): string {
  return whyProve === undefined ? "test" : `prove: ${whyProve}`;
}

/** Whether a row says that a mutant is caught whose code is this. */
export function isFresh(row: Row | undefined, code: string): boolean {
  return row?.code === code && isCaught(row.verdict);
}
