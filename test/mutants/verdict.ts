import type { NamedTest } from "./mutant.ts";

/** How one test ended. */
export type TestEnd = {
  readonly title: string;
  readonly isGreen: boolean;
  /** The first line of its error. */
  readonly why: string;
};

/** The result of running some tests of one file. */
export type FileRun = {
  /** Whether it was cut off. */
  readonly isHung: boolean;
  /** Whether something failed: a test, or something before or after it. */
  readonly isFailed: boolean;
  readonly seconds: number;
  /** The tests that ran; none if the file did not load. */
  readonly ends: readonly TestEnd[];
};

/** The possible verdicts of a mutant's test; only the first two are as they should be. */
export const verdicts = [
  "red",
  // It does not end with the mutant, but does without.
  "hung",
  "survived",
  // The code that it changes has moved.
  "does not apply",
  // Its test does not exist, is skipped, asserts nothing, or is red by itself: its red with the mutant proves nothing.
  "not green without it",
  // Not every test that runs without it ran: the mutant is not a valid program.
  "does not load",
] as const;

/** One of `verdicts`. */
export type Verdict = (typeof verdicts)[number];

/** The tests of a run that have this title. */
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

/** Whether a verdict is the one that a planted bug should get. */
export function isCaught(verdict: Verdict): boolean {
  return verdict === "red" || verdict === "hung";
}
