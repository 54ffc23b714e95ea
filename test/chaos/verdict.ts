import { globSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

import { z } from "zod";

import type { RunReport } from "../../src/report/report.ts";
import type { SandboxFaultName } from "../../src/sandbox/faults/faults.ts";
import { canaries } from "../support/canaries.ts";
import { checkLedger } from "../support/ledger/check.ts";
import type { OracleRow } from "../support/ledger/facts.ts";
import { readService, readStore } from "../support/ledger/view.ts";
import { ambiguousRecords, exitsAreRight, blocksKept } from "./checks.ts";
import type { InjectedFault } from "./fault-injector.ts";
import type { Move, Plan, Rerun } from "./plan.ts";
import { type Aftermath, firedIn, type Seed } from "./seed.ts";
import type { Fleet } from "./world/fleet.ts";
import { rowCanary } from "./world/project.ts";

const historyBytesMax = 2_000_000;
/** The result of a seed. */
export type SeedResult = {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly seconds: number;
  readonly rows: number;
  readonly lost: number;
  readonly repeated: number;
  readonly calls: number;
  /** Faults of processes. */
  readonly injected: readonly InjectedFault[];
  /** Faults of requests. */
  readonly faults: readonly SandboxFaultName[];
  /** How a run was abandoned after all that. */
  readonly givenUp: Rerun["by"] | undefined;
  /** What happened to a table after that. */
  readonly moved: Move["kind"] | undefined;
  readonly hadWrongClock: boolean;
  readonly hadFullDisk: boolean;
};

const anyReport = z.custom<RunReport>((value) => typeof value === "object" && value !== null);

async function reportOf(fleet: Fleet, runId: string): Promise<RunReport> {
  const { exit, stdout } = await fleet.sluice("runs", "show", runId, "--json");
  if (exit.code !== 0) throw new Error(`runs show ended with ${exit.code}: ${stdout}`);
  return anyReport.parse(JSON.parse(stdout));
}

/** Processes that work in the seed's folder; a process that has ended meanwhile has no folder. */
function leftOver(folder: string): string[] {
  return globSync("/proc/[0-9]*/cwd").flatMap((link) => {
    try {
      if (!readlinkSync(link).startsWith(`${folder}/`)) return [];
      return [readFileSync(`${dirname(link)}/cmdline`, "utf8").replaceAll("\0", " ")];
    } catch {
      return [];
    }
  });
}

/** Checks a finished seed for everything that must hold, and ends its processes. */
export async function judge(
  seed: Seed,
  of: { readonly plan: Plan; readonly after: Aftermath; readonly folder: string },
): Promise<Omit<SeedResult, "seconds">> {
  const { plan, after, folder } = of;
  const { fleet, state } = seed;
  const { oracle, run, snapshots, injected } = after;
  const report = await reportOf(fleet, run.runId);
  const store = await readStore(state, { runId: run.runId, oracle });
  const service = await readService(fleet.sandboxAddress, after.since);
  const { ledger } = service;
  const rerun = await seed.rerun();
  const moved = await seed.move();
  await seed.close();
  const largestPart = Math.max(0, ...store.parts.map(({ records }) => records));
  const texts = await Promise.all(
    fleet.logFiles.map(async (where) => ({ where, text: await readFile(where, "utf8") })),
  );
  const { violations, numbers } = checkLedger({
    oracle,
    service,
    store,
    report,
    snapshots,
    ambiguities: [...after.underWay, ...ambiguousRecords(ledger, largestPart)],
    silences: [{ fromMs: after.endedMs, toMs: Infinity, why: "after the run" }],
    canaries: [canaries.apiKey, rowCanary, "signature="],
    texts,
    measures: [{ what: "bytes of history", value: after.historyBytes, max: historyBytesMax }],
  });
  const rejections = texts.filter(({ text }) => /unhandled|uncaught/i.test(text));
  return {
    seed: plan.seed,
    violations: [
      ...violations,
      ...rerun.violations,
      ...moved,
      ...blocksKept(ledger, { faults: plan.faults, injected }),
      ...exitsAreRight(fleet.exits),
      ...fleet.troubles,
      ...leftOver(folder).map((command) => `a process is left: ${command}`),
      ...rejections.map(({ where }) => `a rejection that nobody handled: ${where}`),
      ...(plan.isDiskFull && !after.metFullDisk ? ["the disk was full, and nobody met it"] : []),
    ],
    rows: oracle.length,
    lost: acceptsOf(oracle) - numbers.accepted,
    repeated: Math.max(0, numbers.repeated),
    calls: ledger.length,
    injected,
    faults: [...after.faultsBefore, ...firedIn(ledger), ...rerun.faults],
    givenUp: plan.rerun?.by,
    moved: plan.move?.kind,
    hadWrongClock: plan.clockHours.some((hours) => hours !== 0),
    hadFullDisk: after.metFullDisk,
  };
}

function acceptsOf(oracle: readonly OracleRow[]): number {
  return oracle.filter(({ verdict }) => verdict.kind === "accept").length;
}
