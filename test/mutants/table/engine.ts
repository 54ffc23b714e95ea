import type { Mutant } from "../mutant.ts";

const rightWorkerTest = "test/src/cli/running/right-worker.test.ts";

/** Mutants of which worker does a run, and of runs that send nothing. */
export const mutantsOfEngine: readonly Mutant[] = [
  {
    id: "S100",
    plants: "a run is begun beside a worker with another configuration of it",
    edits: [
      {
        file: "src/hosts/live-workers.ts",
        find: 'return theirs === configMarks(config)[markName(wanted)] ? undefined : "changed";',
        replace: "return undefined;",
      },
    ],
    test: {
      file: rightWorkerTest,
      title: "stop it before it begins where one has another configuration of it, and say which",
    },
  },
  {
    id: "S2232",
    plants: "a run is begun beside a worker that has not read the guardrails that were edited",
    edits: [
      {
        file: "src/hosts/live-workers.ts",
        find: 'return theirs === configMarks(config)[boundsName(wanted)] ? undefined : "changed";',
        replace: "return undefined;",
      },
    ],
    test: {
      file: rightWorkerTest,
      title:
        "stop it also where one has other guardrails, another bound of a backfill or another look",
    },
  },
  {
    id: "S101",
    plants: "a file that sluice dev could not take up is never looked at again",
    edits: [
      {
        file: "src/cli/serve/watch-config.ts",
        find: "warn(`${config.file} has changed and is not used: ${messageOf(error)}`);",
        replace:
          "warn(`${config.file} has changed and is not used: ${messageOf(error)}`);\n      return undefined;",
      },
    ],
    test: {
      file: "test/src/cli/serve/watch-config.test.ts",
      title: "takes a changed file up once it is valid, and says meanwhile what is wrong with it",
    },
  },
  {
    id: "S102",
    plants: "a chunk in which nothing leaves continues for five minutes",
    edits: [
      {
        file: "src/pipeline/chunk-budget.ts",
        find: "const { unsentMs = limits.ms } = limits;",
        replace: "const unsentMs = limits.ms;",
      },
    ],
    test: {
      file: "test/src/pipeline/chunk-budget.test.ts",
      title: "ends sooner while nothing leaves, but not before it was worth its beginning",
    },
  },
  {
    id: "S104",
    plants: "what a stop of the worker cut off counts as a fault of the run",
    edits: [
      {
        file: "activities/attempt.ts",
        find: "if (isWorkerStop(signal)) throw workerStopped();",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/attempt.test.ts",
      title: "ends as interrupted, and not as at fault, when its worker stops",
    },
  },
  {
    id: "S103",
    plants: "the first chunk decides how all is sent although nothing of it leaves",
    edits: [
      {
        file: "src/text/choose-mode.ts",
        find: "if (!isWhole && records === 0) return undefined;",
        replace: "",
      },
    ],
    test: {
      file: "test/src/text/choose-mode.test.ts",
      title: "waits for the first chunk in which something leaves",
    },
  },
  {
    id: "S1911",
    plants: "a lane is given to a worker that polls another task queue",
    edits: [
      {
        file: "src/hosts/live-workers.ts",
        find: "const common = `${targetOf(api)} ${key} ${temporal.taskQueue}`;",
        replace: "const common = `${targetOf(api)} ${key} ${typeof temporal.taskQueue}`;",
      },
    ],
    test: {
      file: "test/activities/run/choose-host.test.ts",
      title: "gives no lane to a host whose worker polls another task queue",
    },
  },
  {
    id: "S1912",
    plants: "a host is waited for whose worker polls another task queue by now",
    edits: [
      {
        file: "activities/run/choose-host.ts",
        find: 'workerDifference(worker, { kind: "sync", name: sync }, deps.config) === undefined,',
        replace: 'workerDifference(worker, { kind: "sync", name: sync }, deps.config) !== null,',
      },
    ],
    test: {
      file: "test/activities/run/choose-host.test.ts",
      title: "gives no lane to a host whose worker polls another task queue",
    },
  },
  {
    id: "S1913",
    plants: "a host that Temporal is away from goes on saying that it takes work",
    edits: [
      {
        file: "src/local/presence.ts",
        find: "performance.now() - answeredAt > silentMsMax ? {} : deps.configs",
        replace: "performance.now() - answeredAt > silentMsMax ? deps.configs : deps.configs",
      },
    ],
    test: {
      file: "test/src/local/presence.test.ts",
      title: "says that it works with nothing while Temporal is away",
    },
  },
  {
    id: "S2207",
    plants: "half of a worker lives on, and does nothing, when the other half broke",
    edits: [
      {
        file: "src/local/presence.ts",
        find: "      shutDown(workers);\n      cutOff.abort();\n      throw error;",
        replace: "      throw error;",
      },
    ],
    test: {
      file: "test/src/local/presence.test.ts",
      title: "a worker that breaks ends the others, and is not thrown before they have ended",
    },
  },
  {
    id: "S1914",
    plants: "run is refused for a worker that Temporal is away from",
    edits: [
      {
        file: "src/hosts/live-workers.ts",
        find: "return Object.keys(configs).length > 0;",
        replace: "return Object.keys(configs).length >= 0;",
      },
    ],
    test: {
      file: "test/src/cli/running/right-worker.test.ts",
      title: "are not those that Temporal is away from",
    },
  },
  {
    id: "S2061",
    plants: "a run keeps the configuration of the attempt that failed to open it",
    edits: [
      {
        file: "src/state/store/runs/runs.ts",
        find: "      // A value that is not given stays.\n      configHash,\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/run/open-run.test.ts",
      title: "is of the configuration with which it succeeds",
    },
  },
  {
    id: "S2062",
    plants: "a run that was begun for another service takes the lock of this one",
    edits: [
      {
        file: "activities/run/open-run.ts",
        find: "      assertSameTarget(deps, opened);\n",
        replace: "      void assertSameTarget;\n",
      },
    ],
    test: {
      file: "test/activities/run/open-run.test.ts",
      title: "ends a run that was begun for another service",
    },
  },
  {
    id: "S2063",
    plants: "a terminated run that did not hold the lock stays open until a worker starts",
    edits: [
      {
        file: "activities/run/take-lock.ts",
        find: "await abandonOthers(deps, runId);",
        replace: "void abandonOthers;",
      },
    ],
    test: {
      file: "test/activities/run/close-abandoned.test.ts",
      title: "ends what terminated runs left that did not hold the lock",
    },
  },
  {
    id: "S2066",
    plants: "a workflow that somebody paused counts as ended",
    edits: [
      {
        file: "src/local/connect.ts",
        find: ' || status.name === "PAUSED"',
        replace: "",
      },
    ],
    test: {
      file: "test/src/local/connect.test.ts",
      title: "counts a workflow that somebody paused as open",
    },
  },
  {
    id: "S2115",
    plants: "a workflow that somebody paused is told as one that no worker answers for",
    edits: [
      {
        file: "src/cli/running/pending.ts",
        find: '  if (status.name === "PAUSED") return workflowPaused;\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "says that a workflow is paused, which answers nothing meanwhile",
    },
  },
  {
    id: "S2218",
    plants: "a chunk that has no bodies is not sent where the mode is lightweight",
    edits: [
      {
        file: "workflows/sync/send-chunk.ts",
        find: 'mode === "lightweight" && staged.parts > 0',
        replace: 'mode === "lightweight"',
      },
    ],
    test: {
      file: "test/workflows/sync/transfer.test.ts",
      title: "sends a chunk as a file where a record is too large for a body, in whichever mode",
    },
  },
];
