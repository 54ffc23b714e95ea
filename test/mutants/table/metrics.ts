import type { Mutant } from "../mutant.ts";

const worker = "test/src/metrics/process-metrics.test.ts";
const counts = { file: worker, title: "count what the report of a run counts" } as const;
const once = {
  file: worker,
  title: "count a run once, however often it is closed",
} as const;
const told = {
  file: worker,
  title: "tell what the store says of the key as it is, of storage and of runs that are held",
} as const;
const inboxes = {
  file: worker,
  title: "tell the backlog of each inbox, and the bytes that are staged here",
} as const;
const successes = {
  file: "test/src/state/store/successes.test.ts",
  title: "is the end of the newest run that moved all there was, and of none before",
} as const;
const named = "test/src/metrics/named-metrics.test.ts";

/** Metrics for Prometheus. */
export const mutantsOfMetrics: readonly Mutant[] = [
  {
    id: "S1140",
    plants: "rows are counted under no result but their sum",
    edits: [
      {
        file: "src/metrics/process-metrics.ts",
        find: 'if (result !== "read") rows.inc',
        replace: 'if (result === "read") rows.inc',
      },
    ],
    test: counts,
  },
  {
    id: "S1141",
    plants: "a run that is closed twice is counted twice",
    edits: [
      {
        file: "activities/run/close-run.ts",
        find: "if (run.endedAt === null) deps.runClosed?.(report);",
        replace: "deps.runClosed?.(report);",
      },
    ],
    test: once,
  },
  {
    id: "S1143",
    plants: "a run that failed is a success",
    edits: [
      {
        file: "src/state/store/runs/successes.ts",
        find: '["done", "done_with_rejects"]',
        replace: '["done", "done_with_rejects", "failed"]',
      },
    ],
    test: successes,
  },
  {
    id: "S1145",
    plants: "a success at another target counts here",
    edits: [
      {
        file: "src/state/store/runs/successes.ts",
        find: '    .where("target", "=", target)\n    .where((run)',
        replace: "    .where((run)",
      },
    ],
    test: successes,
  },
  {
    id: "S1146",
    plants: "the limits of any key are told as those of the configured one",
    edits: [
      {
        file: "src/metrics/project-figures.ts",
        find: 'limit.startsWith(ours) || limit.startsWith("put:")',
        replace: "limit !== ours",
      },
    ],
    test: told,
  },
  {
    id: "S1147",
    plants: "a run that was approved, or is not held, counts as held",
    edits: [
      {
        file: "src/metrics/project-figures.ts",
        find: "open.filter((run) => openHold(run) !== undefined)",
        replace: "open",
      },
    ],
    test: told,
  },
  {
    id: "S1148",
    plants: "a connection that is not in the configuration becomes a label",
    edits: [
      {
        file: "src/metrics/project-figures.ts",
        find: ".filter(({ connection }) => config.connections.has(connection))",
        replace: ".filter(({ connection }) => connection !== undefined)",
      },
    ],
    test: inboxes,
  },
  {
    id: "S1149",
    plants: "what was read before is told while the store is away",
    edits: [
      {
        file: "src/metrics/project-gauges.ts",
        find: "for (const each of Object.values(gauges)) each.reset();",
        replace: "",
      },
    ],
    test: {
      file: worker,
      title: "say that the store is away, and nothing that was read before",
    },
  },
  {
    id: "S1150",
    plants: "a request without an answer is not counted",
    edits: [
      {
        file: "src/metrics/process-metrics.ts",
        find: "      requests.inc({ endpoint, status });\n",
        replace: '      if (status !== "none") requests.inc({ endpoint, status });\n',
      },
    ],
    test: {
      file: worker,
      title: "count requests by the status of their answer, and those without one",
    },
  },
  {
    id: "S1151",
    plants: "calls of the store are not timed",
    edits: [
      {
        file: "src/metrics/store-calls.ts",
        find: "        } finally {\n          end();\n",
        replace: "        } finally {\n          void end;\n",
      },
    ],
    test: counts,
  },
  {
    id: "S1152",
    plants: "an alert asks for a metric that does not exist",
    edits: [
      {
        file: "deploy/prometheus/alerts.yaml",
        find: "max by (sync) (sluice_runs_held) > 0",
        replace: "max by (sync) (sluice_held_runs) > 0",
      },
    ],
    test: {
      file: named,
      title:
        "the dashboard, the alerts and the page of docs name metrics that exist, and the page names all",
    },
  },
  {
    id: "S1153",
    plants: "an alert has no test",
    edits: [
      {
        file: "deploy/prometheus/alerts.test.yaml",
        find: "  - name: SluiceHeld\n",
        replace: "  - name: SluiceBreakerOpen\n",
      },
    ],
    test: {
      file: named,
      title:
        "each alert has a test of its own in which it fires, and one moment at which it does not",
    },
  },
  {
    id: "S2131",
    plants: "a quiet day after a resend takes the last success of a sync of webhooks away",
    edits: [
      {
        file: "src/state/store/runs/prune-runs.ts",
        find: '          .where("r.kind", "=", "inbox")\n          .where("r.outcome", "=", "done")\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/prune-drains.test.ts",
      title: "keeps the last success where it was followed by",
    },
  },
  {
    id: "S1266",
    plants: "each who scrapes has the store read",
    edits: [
      {
        file: "src/metrics/project-gauges.ts",
        find: "reading ??= readOnce(project)",
        replace: "reading = readOnce(project)",
      },
    ],
    test: { file: worker, title: "wait five seconds for the store, and ask it once for all" },
  },
  {
    id: "S1267",
    plants: "a scrape waits longer for the store than Prometheus does for it",
    edits: [
      {
        file: "src/metrics/project-gauges.ts",
        find: "const lookMsMax = 5_000;",
        replace: "const lookMsMax = 15_000;",
      },
    ],
    test: { file: worker, title: "wait five seconds for the store, and ask it once for all" },
  },
  {
    id: "S2262",
    plants: "pruning takes the last success of a pull away that calls_max stopped since",
    edits: [
      {
        file: "src/state/store/runs/prune-runs.ts",
        find: ".where((run) => isSuccess(queries, run))",
        replace: '.where("outcome", "in", ["done", "done_with_rejects"])',
      },
    ],
    test: {
      file: "test/src/state/store/successes.test.ts",
      title: "is of a pull once its round has ended, and not of a night that calls_max stopped",
    },
  },
  {
    id: "S2162",
    plants: "a night of a pull that calls_max stopped counts as one that moved all there was",
    edits: [
      {
        file: "src/state/store/runs/successes.ts",
        find: 'where("roundsDone", ">", 0)',
        replace: 'where("roundsDone", ">=", 0)',
      },
    ],
    test: {
      file: "test/src/state/store/successes.test.ts",
      title: "is of a pull once its round has ended, and not of a night that calls_max stopped",
    },
  },
  {
    id: "S2244",
    plants: "a receiver is ready until a delivery has failed",
    edits: [
      {
        file: "src/webhooks/backlog-watch.ts",
        find: "      if (this.isStoreOk) await this.#probe();\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/webhooks/store-away.test.ts",
      title: "a receiver whose way to the database is closed is not ready, also where nobody posts",
    },
  },
  {
    id: "S2246",
    plants: "events that wait behind a file, as configured, are called late",
    edits: [
      {
        file: "src/cli/status/inbox.ts",
        find: "oldestMs <= inboxLateMs + fileWaitMs",
        replace: "oldestMs <= inboxLateMs",
      },
    ],
    test: {
      file: "test/src/cli/status/inbox.test.ts",
      title: "says of events that may wait 30 minutes behind a file, after 34: undefined",
    },
  },
];
