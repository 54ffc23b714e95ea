import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { conditions, publish, say, table } from "../report.ts";
import { accounts } from "../workloads/accounts.ts";
import { type Bound, type BoundName, bounds, type PartName, partNames } from "./bounds.ts";
import { measureKeys } from "./keys.ts";
import { measureMetrics } from "./metrics.ts";
import type { Figures, Part } from "./part.ts";
import { measurePostgres } from "./postgres.ts";
import { measureRuns } from "./runs.ts";
import { measureSmall, smallRows } from "./small.ts";
import { measureStaging } from "./staging.ts";
import { measureStart } from "./start.ts";
import { measureTenfold } from "./tenfold.ts";
import { boundRows, type Figure, judgeFigure } from "./verdicts.ts";

const parts: Readonly<Record<PartName, Part>> = {
  staging: { rows: accounts.rows, rounds: 5, measure: measureStaging },
  start: { rows: smallRows, rounds: 5, measure: measureStart },
  small: { rows: smallRows, rounds: 5, measure: measureSmall },
  runs: { rows: accounts.rows, rounds: 5, measure: measureRuns },
  postgres: { rows: 1_000_000, rounds: 5, measure: measurePostgres },
  keys: { rows: 10_000_000, rounds: 1, measure: measureKeys },
  tenfold: { rows: 10_000_000, rounds: 3, measure: measureTenfold },
  metrics: { rows: accounts.rows, rounds: 20, measure: measureMetrics },
};

/** What to measure. */
export type FastPathInput = {
  readonly only: readonly PartName[];
  /** For every part; undefined means as many as promised. */
  readonly rows: number | undefined;
  readonly rounds: number | undefined;
  /** Where DuckDB is installed. */
  readonly duckdb: string;
};

type Measured = { readonly bound: Bound; readonly figure: Figure };

/** The bounds of a part with their measured figures. @throws {Error} it left one out */
function boundsOf(part: PartName, figures: Figures): readonly Measured[] {
  const measured: Measured[] = [];
  let name: BoundName;
  for (name in bounds) {
    const [bound, figure] = [bounds[name], figures[name]];
    if (bound.part !== part) continue;
    if (figure === undefined) throw new Error(`${part} did not measure ${name}`);
    measured.push({ bound, figure });
  }
  return measured;
}

async function measure(
  name: PartName,
  { rows, rounds, duckdb }: FastPathInput,
): Promise<readonly Measured[]> {
  const part = parts[name];
  const folder = await mkdtemp(join(tmpdir(), `sluice-bench-${name}-`));
  say(name);
  try {
    const size = { rows: rows ?? part.rows, rounds: rounds ?? part.rounds };
    return boundsOf(name, await part.measure({ ...size, folder, duckdb }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sizesOf({ only, rows, rounds }: FastPathInput): string {
  const each = only.map((name) => {
    const part = parts[name];
    const [many, often] = [rows ?? part.rows, rounds ?? part.rounds];
    return `${name} ${many.toLocaleString("en")} × ${often}`;
  });
  return `Rows × rounds: ${each.join(", ")}.`;
}

/**
 * Measures the bounds of the fast path. Keeps the table if nothing is left out.
 * @returns the exit code: 1 when a bound is broken
 */
export async function benchFastPath(input: FastPathInput): Promise<number> {
  const { only, rows, rounds } = input;
  const isWhole = only.length === partNames.length && rows === undefined && rounds === undefined;
  const under = conditions("npm run bench");
  const measured: Measured[] = [];
  for (const name of only) measured.push(...(await measure(name, input)));
  const text = `${under} ${sizesOf(input)}\n\n${table(boundRows(measured))}`;
  if (isWhole) await publish("bench", text, "proof/fast-path");
  process.stdout.write(`${text}\n`);
  const isBroken = measured.some(
    ({ bound, figure }) => judgeFigure(bound, figure.value) === "broken",
  );
  return isBroken ? 1 : 0;
}
