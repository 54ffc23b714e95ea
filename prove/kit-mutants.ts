import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { publish, say, table } from "../bench/report.ts";
import { tryMutants, type TriedMutant } from "../test/mutants/kit/try-mutants.ts";

/** Columns of the table of mutants. */
export const kitMutantsHead: readonly string[] = ["connector", "red", "mutants"];

/** The seed for drawing mutants: the same code and number give the same mutants. */
export const kitMutantsSeed = 9;

const connectors: readonly string[] = ["csv", "postgres", "webhook", "jsonl", "http"];

/** The least share of mutants that must turn some check red (issue 8). */
const shareMin = 0.85;

/**
 * Plants mutants in the shipped connectors, one at a time, and runs the kit on each. With as many as promised,
 * the list of those that no check notices goes into docs/proof/kit.md.
 */
export async function proveKitMutants(ask: {
  readonly mutants: number;
  readonly isWhole: boolean;
}): Promise<readonly Checked[]> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const drawn = { connectors, count: ask.mutants, seed: kitMutantsSeed };
  const tried = await tryMutants({ root, lanes: 2, ...drawn, say, signal: signalOfStops() });
  const list = [causesOf(tried), survivorsOf(tried)].join("\n\n");
  if (ask.isWhole) await publish("prove kit-survivors", list, "proof/kit");
  console.log(list);
  const ofEach = connectors.map((connector) =>
    figuresOf(
      connector,
      tried.filter(({ mutant }) => mutant.connector === connector),
    ),
  );
  const share = tried.filter(isRed).length / tried.length;
  const all = { ...figuresOf("all", tried), bound: `>= ${percent(shareMin)}` };
  return [...ofEach, { ...all, holds: share >= shareMin }];
}

/** A signal that ends the running work when this process is asked to end. */
function signalOfStops(): AbortSignal {
  const stopped = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));
  }
  return stopped.signal;
}

function isRed({ run }: TriedMutant): boolean {
  return run.state !== "green";
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function figuresOf(what: string, tried: readonly TriedMutant[]): Checked {
  const red = tried.filter(isRed).length;
  const share = tried.length === 0 ? "" : `, ${percent(red / tried.length)}`;
  const measured = `${tried.length}: ${red} red, ${tried.length - red} survived${share}`;
  return { what, bound: "", measured, holds: true };
}

/** Counts by what noticed the mutants. */
function causesOf(tried: readonly TriedMutant[]): string {
  const causes = tried
    .filter(isRed)
    .map(({ run }) => (run.state === "red" ? run.check : run.state));
  const counts = [...Map.groupBy(causes, (cause) => cause)].map(
    ([cause, all]) => [cause, all.length] as const,
  );
  const told = counts.toSorted((a, b) => b[1] - a[1]).map(([cause, count]) => `${cause} ${count}`);
  return `Red first: ${told.join(", ")}.`;
}

function survivorsOf(tried: readonly TriedMutant[]): string {
  const survivors = tried.filter((one) => !isRed(one));
  return table([
    ["survivor", "what is there", "what was there in the mutant"],
    ...survivors.map(({ mutant: { file, line, was, is } }) => [
      `${file}:${line}`,
      codeOf(was),
      is === ";" ? "nothing" : codeOf(is),
    ]),
  ]);
}

/** Code in a cell of a table. */
function codeOf(text: string): string {
  const ticks = text.includes("`") ? "`` " : "`";
  return `${ticks}${text.replaceAll("|", "\\|")}${ticks.split("").toReversed().join("")}`;
}
