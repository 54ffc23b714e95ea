// npm run bench [-- --only staging,start,small,runs,postgres,keys,tenfold --rows 20000 --rounds 1]: the bounds of
// the fast path, compared with other programs; writes docs/proof/fast-path.md unless it was made smaller. npm run
// bench -- --against <commit> [--pairs 20 --rows 100000 --bound 1.05 --only run,stage-all,stage-changed]: processor
// seconds of the current program compared with a commit's. Exit code 1 if a bound is broken, 2 for wrong arguments.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { benchAgainst } from "./against.ts";
import { commitOf } from "./builds.ts";
import { partNames } from "./fast-path/bounds.ts";
import { benchFastPath } from "./fast-path/fast-path.ts";
import { pairsMin } from "./pairs.ts";
import { say } from "./report.ts";
import { workloads } from "./workloads/workloads.ts";

const againstDefaults = { pairs: "20", rows: "100000", bound: "1.05" };

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    rows: { type: "string" },
    only: { type: "string" },
    against: { type: "string" },
    pairs: { type: "string", default: againstDefaults.pairs },
    bound: { type: "string", default: againstDefaults.bound },
    duckdb: { type: "string", default: "" },
  },
});

const isCount = (value: number | undefined): boolean =>
  value === undefined || (Number.isInteger(value) && value > 0);

/** Prints the problems with the arguments; returns whether there are any. */
function sayProblems(problems: readonly string[]): boolean {
  const found = problems.filter((problem) => problem !== "");
  for (const problem of found) say(problem);
  return found.length > 0;
}

function chosenOf<Name extends string>(
  names: readonly Name[],
): {
  readonly chosen: readonly Name[];
  readonly problem: string;
} {
  const asked = values.only?.split(",");
  const unknown = asked?.filter((name) => !names.some((known) => known === name)) ?? [];
  const problem =
    unknown.length === 0 ? "" : `--only: ${unknown.join(",")}: there are ${names.join(", ")}`;
  return { chosen: names.filter((name) => asked?.includes(name) ?? true), problem };
}

/** Compares with a commit. @returns the exit code */
async function compare(asked: string): Promise<number> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const commit = await commitOf(root, asked);
  const { rows: askedRows = againstDefaults.rows } = values;
  const [pairs, rows, bound] = [Number(values.pairs), Number(askedRows), Number(values.bound)];
  const { chosen, problem } = chosenOf(workloads.map(({ name }) => name));
  const isWrong = sayProblems([
    commit === undefined ? `--against: there is no commit "${asked}" in this repository` : "",
    Number.isInteger(pairs) && pairs >= pairsMin ? "" : `--pairs: a number from ${pairsMin}`,
    isCount(rows) ? "" : "--rows: a number from 1",
    bound > 0 ? "" : "--bound: a ratio, such as 1.05",
    problem,
  ]);
  if (commit === undefined || isWrong) return 2;
  const isWhole =
    values.only === undefined &&
    [values.pairs, askedRows].join() === [againstDefaults.pairs, againstDefaults.rows].join();
  return await benchAgainst({
    root,
    commit,
    pairs,
    rows,
    bound,
    workloads: workloads.filter(({ name }) => chosen.includes(name)),
    isWhole,
  });
}

/** Measures the bounds of the fast path. @returns the exit code */
async function measure(): Promise<number> {
  const [rows, rounds] = [values.rows, values.rounds].map((value) =>
    value === undefined ? undefined : Number(value),
  );
  const { chosen, problem } = chosenOf(partNames);
  const isWrong = sayProblems([
    isCount(rows) ? "" : "--rows: a number from 1",
    isCount(rounds) ? "" : "--rounds: a number from 1",
    values.duckdb === "" ? "--duckdb: `npm run bench` knows where it is, or installs it" : "",
    problem,
  ]);
  return isWrong ? 2 : await benchFastPath({ only: chosen, rows, rounds, duckdb: values.duckdb });
}

process.exitCode = values.against === undefined ? await measure() : await compare(values.against);
