import { spread } from "./report.ts";
import type { Measured } from "./rounds.ts";

/** A claim, and whether it held. */
export type Checked = {
  readonly what: string;
  readonly bound: string;
  readonly measured: string;
  readonly holds: boolean;
  /** Whether it is only an aim: missing it breaks no promise. */
  readonly isAim?: boolean;
};

/** Whether every promise was kept. */
export function allHold(checked: readonly Checked[]): boolean {
  return checked.every(({ holds, isAim = false }) => holds || isAim);
}

/** Least rows per second of staging, as promised; and the least multiple of the naive way's rate. */
const rowsPerSecondMin = 150_000;
const timesNaiveMin = 4;

/** Largest event-loop delay: heartbeats go out every two seconds, but a signal or an answer waits as long as this. */
const loopP99MsMax = 10;

/** Checks the staging of all rows against its bounds; medians of the rounds count. */
export function checkStaging(
  all: readonly Measured[],
  naive: readonly Measured[],
): readonly Checked[] {
  const rate = spread(all.map(({ rowsPerSecond }) => rowsPerSecond)).median;
  const times = spread(
    all.map(({ rowsPerSecond }, round) => rowsPerSecond / (naive[round]?.rowsPerSecond ?? 0)),
  );
  const delay = spread(all.map(({ loopP99Ms = Number.NaN }) => loopP99Ms)).median;
  return [
    {
      what: "CSV to staged chunks, rows/s",
      bound: `>= ${rowsPerSecondMin.toLocaleString("en")}`,
      measured: Math.round(rate).toLocaleString("en"),
      holds: rate >= rowsPerSecondMin,
    },
    {
      what: "... times the naive way's, pair by pair (min / median / max)",
      bound: `>= ${timesNaiveMin}`,
      measured: [times.min, times.median, times.max].map((ratio) => ratio.toFixed(1)).join(" / "),
      holds: times.median >= timesNaiveMin,
    },
    {
      what: "... event-loop delay of the main thread meanwhile, p99",
      bound: `<= ${loopP99MsMax} ms`,
      measured: `${delay.toFixed(1)} ms`,
      holds: delay <= loopP99MsMax,
    },
  ];
}

/** The rows of a table of claims; `head` replaces the names of its columns. */
export function checkedRows(
  checked: readonly Checked[],
  head: readonly string[] = ["what", "bound", "measured"],
): string[][] {
  return [
    [...head, ""],
    ...checked.map((one) => [one.what, one.bound, one.measured, verdictOf(one)]),
  ];
}

function verdictOf({ bound, holds, isAim = false }: Checked): string {
  if (bound === "") return "";
  if (isAim) return holds ? "reached" : "missed";
  return holds ? "holds" : "**broken**";
}
