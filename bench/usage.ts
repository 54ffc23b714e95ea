import type { Changes } from "../src/state/contract/sends/changes.ts";

/** What a measured program prints as its last act. */
export type Told = {
  readonly files: readonly string[];
  readonly records: number;
  readonly unchanged: number;
  /** Why the records are sent; of programs that ask. */
  readonly changes?: Changes;
  /** Event-loop delay of the main thread; of programs that have one to keep free. */
  readonly loopP99Ms?: number;
  readonly loopMaxMs?: number;
};

/** A `Told` with what its process used until then: all its threads. */
export type Usage = Told & { readonly cpuSeconds: number; readonly rssBytes: number };

/** Prints the result of a measured program with what its process used; to be called last. */
export function tellUsage(told: Told): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage: Usage = {
    ...told,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    rssBytes: maxRSS * 1024,
  };
  console.log(JSON.stringify(usage));
}
