import { faultNames, pageFaultNames } from "../../src/sandbox/faults/faults.ts";
import { moveKinds, rerunWays } from "./plan.ts";
import type { SeedResult } from "./verdict.ts";

/** Faults of processes, and conditions: what is not a fault of a request. */
const conditions = ["kill", "stop", "term", "kill-sandbox", "kill-temporal", "clock", "full-disk"];

/**
 * Runs that are abandoned, or reset, and run again; and changes to a table and its server. A hundred seeds have ten of
 * each.
 */
const turns = [...rerunWays.map((by) => `rerun after ${by}`), ...moveKinds];
const turnsMin = 10;

/** The totals of all seeds. */
export type Summary = {
  readonly seeds: number;
  readonly red: number;
  readonly kills: number;
  /** Kills of workers while a PUT had begun and had not been answered. */
  readonly killsDuringPut: number;
  /** Kills of workers after a confirm was applied, and before its answer. */
  readonly killsAfterConfirm: number;
  /** How often each kind of fault happened. */
  readonly fired: ReadonlyMap<string, number>;
  /** Requests to the service. */
  readonly calls: number;
  readonly rows: number;
  readonly lost: number;
  readonly repeated: number;
  readonly broken: number;
};

/** Adds up the results of the seeds. */
export function summarise(results: readonly SeedResult[]): Summary {
  // This test pulls nothing, so pages have no faults.
  const pageFaults = new Set<string>(pageFaultNames);
  const names = [...faultNames, ...conditions, ...turns].filter((name) => !pageFaults.has(name));
  const fired = new Map<string, number>(names.map((name) => [name, 0]));
  const count = (name: string): unknown => fired.set(name, (fired.get(name) ?? 0) + 1);
  for (const { injected, faults, givenUp, moved, hadWrongClock, hadFullDisk } of results) {
    for (const { fault } of injected) count(fault);
    for (const fault of faults) count(fault);
    if (givenUp !== undefined) count(`rerun after ${givenUp}`);
    if (moved !== undefined) count(moved);
    if (hadWrongClock) count("clock");
    if (hadFullDisk) count("full-disk");
  }
  const sum = (of: (result: SeedResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const killed = results
    .flatMap(({ injected }) => injected)
    .filter(({ fault }) => fault === "kill");
  const held = killed.filter(({ isHeld }) => isHeld).map(({ entry }) => entry);
  return {
    seeds: results.length,
    red: results.filter(({ violations }) => violations.length > 0).length,
    kills: killed.length,
    killsDuringPut: held.filter(({ step }) => step === "put").length,
    killsAfterConfirm: held.filter(({ step, applied }) => step === "confirm-upload" && applied)
      .length,
    fired,
    calls: sum(({ calls }) => calls),
    rows: sum(({ rows }) => rows),
    lost: sum(({ lost }) => lost),
    repeated: sum(({ repeated }) => repeated),
    broken: sum(({ violations }) => violations.length),
  };
}

/** What did not happen, or too rarely, although a hundred seeds must show it. */
export function missingFrom({ fired, killsDuringPut, killsAfterConfirm }: Summary): string[] {
  return [
    ...(killsDuringPut === 0 ? ["a kill during a PUT"] : []),
    ...(killsAfterConfirm === 0 ? ["a kill after an applied confirm"] : []),
    ...[...fired].flatMap(([name, times]) => {
      const min = turns.includes(name) ? turnsMin : 1;
      return times < min ? [name] : [];
    }),
  ];
}

function number(value: number): string {
  return value.toLocaleString("en");
}

/** The last line of a run of seeds. */
export function summaryLine(summary: Summary): string {
  const { fired, killsDuringPut, killsAfterConfirm } = summary;
  const faults = [...fired].filter(([, times]) => times > 0);
  return [
    `${summary.seeds} seeds, ${summary.red} red`,
    `${summary.kills} kills (${killsDuringPut} during a PUT, ${killsAfterConfirm} after an applied confirm)`,
    `${number(summary.calls)} calls; fired: ` +
      (faults.map(([name, times]) => `${name} ${times}`).join(", ") || "nothing"),
    `${number(summary.rows)} rows, ${number(summary.lost)} lost, ${number(summary.repeated)} repeated`,
    `${summary.broken} bounds broken`,
  ].join("; ");
}
