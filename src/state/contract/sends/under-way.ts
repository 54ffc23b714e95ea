import { type Staging } from "./stagings.ts";
import { type StageCounts, type StageName } from "./stagings.ts";

/** What is read and not committed yet, for people who watch a run. */
export interface UnderWayStore {
  /** Notes how far a staging has read; does nothing if it is no longer under way. */
  noteStage(input: StageName & { readonly counts: StageCounts; readonly to: unknown }): void;
  /** The stagings of a run that are under way or wait to be sent, the newest last. */
  openStagings(input: { readonly runId: string }): Staging[];
  /** What a run read and gave up before it was committed, each chunk once. */
  givenUp(input: { readonly runId: string }): StageCounts;
}

/** The sum of the counts of several stagings. */
export function sumOf(counts: readonly StageCounts[]): StageCounts {
  const sum = (count: (of: StageCounts) => number): number =>
    counts.reduce((total, of) => total + count(of), 0);
  return {
    read: sum(({ read }) => read),
    records: sum(({ records }) => records),
    unchanged: sum(({ unchanged }) => unchanged),
    filtered: sum(({ filtered }) => filtered),
    rejected: sum(({ rejected }) => rejected),
  };
}
