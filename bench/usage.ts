import type { Changes } from "../src/state/contract/sends/changes.ts";

/** The last output of a measured program. */
export type Told = {
  readonly files: readonly string[];
  readonly records: number;
  readonly unchanged: number;
  /** Why the records are sent; only for programs that check. */
  readonly changes?: Changes;
  /** Event-loop delay of the main thread; only for programs that must keep one free. */
  readonly loopP99Ms?: number;
  readonly loopMaxMs?: number;
};

/** A `Told` with the resources that its process has used so far, in all its threads. */
export type Usage = Told & { readonly cpuSeconds: number; readonly rssBytes: number };

/** Prints the result of a measured program with the resources that its process used; call it last. */
export function tellUsage(told: Told): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage: Usage = {
    ...told,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    rssBytes: maxRSS * 1024,
  };
  console.log(JSON.stringify(usage));
}
