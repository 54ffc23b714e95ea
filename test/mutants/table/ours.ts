import type { Mutant } from "../mutant.ts";

const lightweight = {
  file: "test/crash/lightweight.test.ts",
  title: "wherever it is killed",
} as const;

/** Mutants of our own mechanisms. */
export const mutantsOfOurs: readonly Mutant[] = [
  {
    id: "S1",
    plants: "the fence of a run is not looked at",
    edits: [
      {
        file: "activities/dependencies.ts",
        find: "if (run.fence !== fence) {",
        replace: "if (false) {",
      },
    ],
    test: { file: "test/activities/run-of.test.ts", title: "is a zombie's" },
  },
  {
    id: "S2",
    plants: "the send lock is taken over without giving up what its holder staged",
    edits: [
      {
        file: "src/state/store/runs/locks.ts",
        find: "    await releaseLock(queries, { name, runId: found.runId });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/locks.test.ts",
      title: "gives up what the replaced holder staged in the same breath",
    },
  },
  {
    id: "S3",
    plants: "a redeploy continues under another configuration",
    edits: [
      {
        file: "activities/dependencies.ts",
        find: "if (configHash !== ref.configHash) throw",
        replace: "if (false) throw",
      },
    ],
    test: { file: "test/activities/run-of.test.ts", title: "has another configuration" },
  },
  {
    id: "S4",
    plants: "a worker with another store continues",
    edits: [
      {
        file: "activities/dependencies.ts",
        find: "if (storeId !== state.storeId) {",
        replace: "if (false) {",
      },
    ],
    test: { file: "test/activities/run-of.test.ts", title: "has another store" },
  },
  {
    id: "S5",
    plants: "a chunk is committed before the one before it",
    edits: [{ file: "src/state/store/sends/commit.ts", find: " && isInOrder)", replace: ")" }],
    test: { file: "test/src/state/contract.test.ts", title: "commits chunks in their order only" },
  },
  {
    id: "S6",
    plants: "a chunk is committed of which not every record was accepted",
    edits: [
      {
        file: "src/state/store/sends/commit.ts",
        find: "if (open === 0 && accepted + splitRejected === records && ",
        replace: "if (",
      },
    ],
    test: {
      file: "test/activities/upload/commit-chunk.test.ts",
      title: "moves it not at all while",
    },
  },
  {
    id: "S7",
    plants: "a checkpoint that someone moved is moved on",
    edits: [
      {
        file: "src/state/store/sends/commit.ts",
        find: '    .where("version", "=", checkpointVersion)\n',
        replace: "",
      },
    ],
    test: {
      file: "test/activities/upload/commit-chunk.test.ts",
      title: "stops when someone else moved the checkpoint",
    },
  },
  {
    id: "S8",
    plants: "what a crash left on its way is not counted as possibly repeated",
    edits: [
      {
        file: "src/state/store/sends/receipts.ts",
        find: "if (wasPerhapsAccepted) ",
        replace: "if (false) ",
      },
    ],
    test: lightweight,
  },
  {
    id: "S9",
    plants: "what a staging had on its way is not counted when it is given up",
    edits: [
      {
        file: "src/state/store/sends/drop-stagings.ts",
        find: "  await countUnderWay(queries, { runId, from, last });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/stage/stage-chunk.test.ts",
      title: "counts what an older staging had under way as possibly repeated",
    },
  },
  {
    id: "S10",
    plants: "a chunk that is staged again leaves the later ones as they are",
    edits: [
      {
        file: "src/state/store/sends/drop-stagings.ts",
        find: '    .where("chunk", "<=", last);\n  const open',
        replace: '    .where("chunk", "<=", from === 0 ? last : from);\n  const open',
      },
    ],
    test: {
      file: "test/src/state/contract.test.ts",
      title: "gives up every later chunk with the one that is staged again",
    },
  },
  {
    id: "S11",
    plants: "the receipt takes the word of an attempt that another has followed",
    edits: [
      {
        file: "src/state/store/sends/receipts.ts",
        find: '    .where("attempts", "=", attempts)\n    .where("state", "in"',
        replace: '    .where("state", "in"',
      },
    ],
    test: {
      file: "test/src/state/contract.test.ts",
      title: "refuses the receipt of an attempt that another has followed",
    },
  },
  {
    id: "S12",
    plants: "a file key is taken that another part was given",
    edits: [
      {
        file: "src/state/store/sends/receipts.ts",
        find: "if (others !== undefined) return false;",
        replace: "",
      },
    ],
    test: {
      file: "test/faults/own-side.test.ts",
      title: "stops the run before its file is overwritten",
    },
  },
  {
    id: "S13",
    plants: "whoever asks again for a permit loses its place",
    edits: [
      {
        file: "src/state/rules/next-permit.ts",
        find: "token === undefined ? waiting : [...others, { token, priority, due: at }]",
        replace: "waiting",
      },
    ],
    test: {
      file: "test/src/state/rate-limit.test.ts",
      title: "gives the same time again to the same token",
    },
  },
  {
    id: "S14",
    plants: "a half-open breaker lets a second probe pass beside the first",
    edits: [
      {
        file: "src/state/rules/next-permit.ts",
        find: "isProbe ? now + probeLostMs : row.nextProbe",
        replace: "row.nextProbe",
      },
    ],
    test: {
      file: "test/src/service/acquire.test.ts",
      title: "is probed by one request of all workers, until one succeeds",
    },
  },
  {
    id: "S15",
    plants: "no number of failures opens a breaker",
    edits: [
      {
        file: "src/state/rules/breaker.ts",
        find: "if (row.failures < failuresMax)",
        replace: "if (row.failures >= 0)",
      },
    ],
    test: { file: "test/faults/outage.test.ts", title: "nobody listens is not a storm" },
  },
  {
    id: "S16",
    plants: "a part that the service fails on is sent for ever and never split",
    edits: [
      {
        file: "activities/upload/poison.ts",
        find: "if (times < poisonTimesMax) return;",
        replace: "if (times >= 0) return;",
      },
    ],
    test: {
      file: "test/faults/poison.test.ts",
      title: "is found by halving and rejected, and every other record is sent once",
    },
  },
  {
    id: "S17",
    plants: "every fault is borne for ever",
    edits: [
      {
        file: "activities/upload/retry-budget.ts",
        find: "  if (counted.times >= timesMax || counted.forMs >= msMax) return becomes;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/faults/bodies.test.ts",
      title: "row 20: confirm-upload answered 200 with a page",
    },
  },
  {
    id: "S18",
    plants: "a run whose workflow is gone stays open",
    edits: [
      {
        file: "activities/run/close-abandoned.ts",
        find: "    if (isLooked && !(await isRunOpen(deps, run))) await abandonRun(deps, run);\n",
        replace: "    void isLooked;\n",
      },
    ],
    test: {
      file: "test/activities/run/close-abandoned.test.ts",
      title: "ends a run whose workflow is gone, removes its files and gives its lock back",
    },
  },
  {
    id: "S19",
    plants: "a host that is silent is waited for",
    edits: [
      {
        file: "activities/run/choose-host.ts",
        find: "if (isAlive) return { hostQueue };",
        replace: "if (isAlive || beats.length >= 0) return { hostQueue };",
      },
    ],
    test: {
      file: "test/activities/run/choose-host.test.ts",
      title: "takes the asked worker's once it is silent",
    },
  },
  {
    id: "S20",
    plants: "a fingerprint counts although its send was never committed",
    edits: [
      {
        file: "src/state/sqlite/keys/look-up.ts",
        find: " and state in ('committed', 'cut')\n       and committed_at >= $committedAfter",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/staged-keys.test.ts",
      title: "is sent again where a commit is killed",
    },
  },
  {
    id: "S21",
    plants: "a file that is not the staged one is sent",
    edits: [
      {
        file: "src/api/staged-file.ts",
        find: 'if (position === bytes && hash.digest("hex") !== gzipSha256) {',
        replace: "if (false) {",
      },
    ],
    test: { file: "test/faults/own-side.test.ts", title: "that holds other bytes is staged again" },
  },
];
