import { Gauge, type Registry } from "prom-client";

import type { ApiFamily } from "../api/endpoints.ts";
import { inTime } from "../clock.ts";
import type { RateLimit } from "../state/contract/rate-limit.ts";
import type { LookAtProject, ProjectFigures } from "./project-figures.ts";

/** Prometheus gives a scrape 10 s; a store that is slower than this counts as away. */
const lookMsMax = 5_000;

const families: readonly ApiFamily[] = ["ingestion", "legacy", "search"];

const breakerStates = { closed: 0, "half-open": 1, open: 2 } as const;

/** The worst breaker state among some limits. */
function breakerOf(limits: readonly RateLimit[], begin: string): number {
  const states = limits
    .filter(({ limit }) => limit.startsWith(begin))
    .map(({ breaker }) => breakerStates[breaker]);
  return Math.max(0, ...states);
}

function isBlocked(limits: readonly RateLimit[], end: string): number {
  return Number(
    limits.some(({ limit, blockedUntil }) => limit.endsWith(end) && blockedUntil !== null),
  );
}

/** Name, help and label of each figure that is read at a scrape. */
const definitions = {
  scheduled: ["sluice_scheduled", "1 where a schedule starts it, else 0.", "sync"],
  lastSuccess: [
    "sluice_last_success_timestamp_seconds",
    "When its newest run ended that moved all there was, whichever process ran it; absent before the first.",
    "sync",
  ],
  checkpoint: [
    "sluice_checkpoint_timestamp_seconds",
    "When its checkpoint moved last; absent before the first.",
    "sync",
  ],
  open: ["sluice_runs_open", "Runs that have not ended, held ones included.", "sync"],
  held: ["sluice_runs_held", "Runs that wait for a person's consent.", "sync"],
  breaker: [
    "sluice_breaker_state",
    "Circuit breaker: 0 closed, 1 half-open, 2 open; for storage hosts the worst.",
    "scope",
  ],
  credits: ["sluice_credits_used_up", "1 while an API has no credits left.", "family"],
  refused: ["sluice_key_refused", "1 while the service refuses the API key."],
  backlog: [
    "sluice_webhook_backlog",
    "Events that wait until every sync has sent them.",
    "connection",
  ],
  oldestAge: [
    "sluice_webhook_oldest_age_seconds",
    "Age of the oldest of them; 0 for none.",
    "connection",
  ],
  staged: ["sluice_staged_bytes", "Bytes of the files staged on this host."],
} as const satisfies Record<string, readonly [name: string, help: string, label?: string]>;

type ProjectGauges = Readonly<Record<keyof typeof definitions, Gauge>>;

function gaugesIn(registers: Registry[]): ProjectGauges;
function gaugesIn(registers: Registry[]): object {
  // An overload: a loop cannot prove to the compiler that each name has its gauge.
  const made = Object.entries(definitions).map(([key, [name, help, ...labelNames]]) => {
    return [key, new Gauge({ name, help, labelNames, registers })] as const;
  });
  return Object.fromEntries(made);
}

function show(
  gauges: ProjectGauges,
  { names, scheduled }: LookAtProject,
  figures: ProjectFigures,
): void {
  for (const sync of [...names.sync, ...names.pull]) {
    gauges.scheduled.set({ sync }, Number(scheduled.includes(sync)));
    gauges.open.set({ sync }, 0);
    gauges.held.set({ sync }, 0);
  }
  for (const [sync, count] of figures.open) gauges.open.set({ sync }, count);
  for (const [sync, count] of figures.held) gauges.held.set({ sync }, count);
  const { lastSuccess, checkpoint, limits, backlogs, stagedBytes } = figures;
  for (const [sync, seconds] of lastSuccess) gauges.lastSuccess.set({ sync }, seconds);
  for (const [sync, seconds] of checkpoint) gauges.checkpoint.set({ sync }, seconds);
  gauges.breaker.set({ scope: "service" }, breakerOf(limits, "api:"));
  gauges.breaker.set({ scope: "storage" }, breakerOf(limits, "put:"));
  for (const family of families) gauges.credits.set({ family }, isBlocked(limits, `:${family}`));
  gauges.refused.set(isBlocked(limits, ":refused"));
  for (const { connection, waiting, oldestMs } of backlogs) {
    gauges.backlog.set({ connection }, waiting);
    gauges.oldestAge.set({ connection }, oldestMs / 1_000);
  }
  gauges.staged.set(stagedBytes);
}

/** Figures that are read at each scrape, and absent if they cannot be read. */
export function createProjectGauges(registers: Registry[]): {
  readonly read: (project: LookAtProject | undefined) => Promise<void>;
} {
  const gauges = gaugesIn(registers);
  const up = new Gauge({
    name: "sluice_store_up",
    help: "1 while the state store answers.",
    registers,
  });
  const readOnce = async (project: LookAtProject | undefined): Promise<void> => {
    const look = project?.look().catch(() => undefined);
    const figures = look && (await inTime(look, lookMsMax));
    for (const each of Object.values(gauges)) each.reset();
    // Those without labels would now be 0, which nobody has measured.
    gauges.refused.remove();
    gauges.staged.remove();
    up.set(Number(figures !== undefined));
    if (project !== undefined && figures !== undefined) show(gauges, project, figures);
  };
  // Concurrent scrapes share one look.
  let reading: Promise<void> | undefined;
  return {
    read: async (project) => {
      reading ??= readOnce(project).finally(() => (reading = undefined));
      await reading;
    },
  };
}
