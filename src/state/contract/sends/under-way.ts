import { type Staging } from "./stagings.ts";
import { type StageCounts, type StageName } from "./stagings.ts";

/** What is read and not committed yet, for those who watch a run. */
export interface UnderWayStore {
  /** Notes how far a staging has read; one that is not under way any more is left alone. */
  noteStage(input: StageName & { readonly counts: StageCounts; readonly to: unknown }): void;
  /** The stagings of a run that are under way or wait to be sent, the newest last. */
  openStagings(input: { readonly runId: string }): Staging[];
  /** What a run read and gave up before it was committed, each chunk once. */
  givenUp(input: { readonly runId: string }): StageCounts;
}

/** What several stagings counted. */
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
