import type { NamedTest } from "./mutant.ts";

/** How one test ended. */
export type TestEnd = {
  readonly title: string;
  readonly isGreen: boolean;
  /** The first line of what it failed with. */
  readonly why: string;
};

/** What a run of some tests of one file came to. */
export type FileRun = {
  /** Whether it was cut off. */
  readonly isHung: boolean;
  /** Whether something went wrong, be it a test or what came before or after it. */
  readonly isFailed: boolean;
  readonly seconds: number;
  /** The tests that were run; none when the file did not load. */
  readonly ends: readonly TestEnd[];
};

/** What the test named for a mutant may say of it; only the first two are as they should be. */
export const verdicts = [
  "red",
  // It does not end with the mutant, and does without.
  "hung",
  "survived",
  // The code that it changes has moved.
  "does not apply",
  // Its test is not there, is skipped, asserts nothing, or is red by itself: its red with the mutant would say nothing.
  "not green without it",
  // Not every test ran that runs without it: what it plants is not a program.
  "does not load",
] as const;

/** One of `verdicts`. */
export type Verdict = (typeof verdicts)[number];

/** Those of a run's tests that are named. */
export function endsOf({ ends }: FileRun, { title }: NamedTest): readonly TestEnd[] {
  return ends.filter((end) => end.title.includes(title));
}

/** Judges a mutant by its test: how it ends without the mutant, and with it. */
export function judge(
  test: NamedTest,
  without: FileRun,
  withMutant: FileRun,
): Exclude<Verdict, "does not apply"> {
  const green = endsOf(without, test);
  if (green.length === 0 || !green.every(({ isGreen }) => isGreen)) return "not green without it";
  if (withMutant.isHung) return "hung";
  const ends = endsOf(withMutant, test);
  if (ends.length < green.length) return "does not load";
  return ends.every(({ isGreen }) => isGreen) ? "survived" : "red";
}

/** Whether a verdict is what a planted bug should come to. */
export function isCaught(verdict: Verdict): boolean {
  return verdict === "red" || verdict === "hung";
}
