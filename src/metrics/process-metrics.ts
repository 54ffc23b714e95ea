import { Counter, Histogram, Registry } from "prom-client";

import { endpointNames } from "../api/endpoints.ts";
import type { Effect } from "../effect.ts";
import { reportCounts } from "../report/counts.ts";
import type { RunReport } from "../report/report.ts";
import type { StateStore } from "../state/state-store.ts";
import { nodeMetrics } from "./node-metrics.ts";
import type { LookAtProject } from "./project-figures.ts";
import { createProjectGauges } from "./project-gauges.ts";
import { permitResults, timedStore } from "./store-calls.ts";

/** The metrics of a working process, and how Prometheus reads them. */
export type ProcessMetrics = {
  /** Wraps each request to the service, under the name of its endpoint. */
  readonly request: Effect;
  /** Wraps the store to time its calls. */
  timed(state: StateStore): StateStore;
  /** Counts a run that has ended, once. */
  readonly runClosed: (report: RunReport) => void;
  /** From now on each scrape gets the project's figures from `look`; undefined ends that. */
  watch(look: LookAtProject | undefined): void;
  /** The answer at `/metrics`. */
  answer(): Promise<{ readonly type: string; readonly text: string }>;
};

/** Seconds that runs take: from an empty run to one that takes all night. */
const runSecondsBuckets = [1, 5, 15, 60, 300, 900, 3_600, 14_400];

/** Rows that runs read. */
const runRowsBuckets = [0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

const requestSecondsBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

const storeSecondsBuckets = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** Outcomes of rows; `read` is their sum. */
const rowResults = {
  sync: ["sent", "unchanged", "filtered", "rejected"],
  pull: ["written", "unchanged", "missing", "rejected"],
} as const;

function requestMetrics(registers: Registry[]): Effect {
  const requests = new Counter({
    name: "sluice_requests_total",
    help: 'Requests of the service and its storage, by the status of the answer; "none" had no answer.',
    labelNames: ["endpoint", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "sluice_request_duration_seconds",
    help: "From a request that leaves to the end of its answer.",
    labelNames: ["endpoint"],
    buckets: requestSecondsBuckets,
    registers,
  });
  for (const endpoint of endpointNames) requests.inc({ endpoint, status: "200" }, 0);
  return async (endpoint, work) => {
    const end = seconds.startTimer({ endpoint });
    let status = "none";
    try {
      const answer = await work();
      if (typeof answer === "object" && answer !== null && "status" in answer) {
        status = String(answer.status);
      }
      return answer;
    } finally {
      end();
      requests.inc({ endpoint, status });
    }
  };
}

type RunMetrics = Pick<ProcessMetrics, "runClosed"> & {
  /** Shows counters without any count yet as 0: without a first value there is no rate. */
  readonly show: (names: Readonly<Record<keyof typeof rowResults, readonly string[]>>) => void;
};

function runMetrics(registers: Registry[]): RunMetrics {
  const runs = new Counter({
    name: "sluice_runs_total",
    help: "Runs that ended in this process.",
    labelNames: ["sync", "kind", "outcome"],
    registers,
  });
  const rows = new Counter({
    name: "sluice_rows_total",
    help: "Rows of those runs, by what became of them.",
    labelNames: ["sync", "result"],
    registers,
  });
  const seconds = new Histogram({
    name: "sluice_run_duration_seconds",
    help: "How long they took, without the time in which no worker ran.",
    labelNames: ["sync"],
    buckets: runSecondsBuckets,
    registers,
  });
  const read = new Histogram({
    name: "sluice_run_rows",
    help: "Rows that they read.",
    labelNames: ["sync"],
    buckets: runRowsBuckets,
    registers,
  });
  return {
    show: (names) => {
      for (const kind of ["sync", "pull"] as const) {
        for (const sync of names[kind]) {
          for (const outcome of ["done", "failed"]) runs.inc({ sync, kind, outcome }, 0);
          for (const result of rowResults[kind]) rows.inc({ sync, result }, 0);
        }
      }
    },
    runClosed: (report) => {
      const { sync, kind, outcome } = report;
      runs.inc({ sync, kind, outcome });
      for (const [result, count] of reportCounts(report)) {
        if (result !== "read") rows.inc({ sync, result }, count);
      }
      seconds.observe({ sync }, report.duration_ms / 1_000);
      read.observe({ sync }, report.counts.read);
    },
  };
}

/** Makes the metrics of a process; all workers that it starts in turn share them. */
export function createProcessMetrics(): ProcessMetrics {
  const register = new Registry();
  const registers = [register];
  const request = requestMetrics(registers);
  const { show, runClosed } = runMetrics(registers);
  const seconds = new Histogram({
    name: "sluice_store_call_duration_seconds",
    help: "From a call of the state store to its answer, waits for other calls included.",
    buckets: storeSecondsBuckets,
    registers,
  });
  const permits = new Counter({
    name: "sluice_permits_total",
    help: "Requests that asked whether they may leave, by the answer.",
    labelNames: ["result"],
    registers,
  });
  for (const result of permitResults) permits.inc({ result }, 0);
  const waitSeconds = new Counter({
    name: "sluice_permit_wait_seconds_total",
    help: "Seconds that granted permits were waited for.",
    registers,
  });
  const gauges = createProjectGauges(registers);
  const all = Registry.merge([register, nodeMetrics()]);
  let look: LookAtProject | undefined;
  return {
    request,
    runClosed,
    timed: (state) => timedStore(state, { seconds, permits, waitSeconds }),
    watch: (next) => {
      look = next;
      if (next !== undefined) show(next.names);
    },
    answer: async () => {
      await gauges.read(look);
      return { type: all.contentType, text: await all.metrics() };
    },
  };
}
