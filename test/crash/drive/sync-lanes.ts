import type { LedgerFindings, LedgerNumbers } from "../../support/ledger/check.ts";
import type { SourceSize } from "../../support/ledger/oracle.ts";
import { differs } from "../../support/ledger/words.ts";
import { absentFrom, type CrashTest } from "../crash-test.ts";
import type { Death, LanePlan } from "./lane.ts";
import {
  accountsInFiles,
  accountsProject,
  finishAccounts,
  violationsOfFiles,
} from "./ledger-lane.ts";

/** The minimum number of rows that must have been sent over all points; with fewer they prove nothing. */
const rowsFlowedMin = 1_000;

/** A sync whose first run is over, and whose second run dies. */
type SyncTest = CrashTest<LedgerFindings> & {
  /** Requests that it makes. */
  readonly requests: number;
};

type Deaths = readonly Death<LedgerFindings>[];

/** A chunk ends with the first page after its first record, and a page with its file: every file is a chunk. */
function planOf(mode: "heavyweight" | "lightweight", size: SourceSize): LanePlan<LedgerFindings> {
  const { oracle, source, ...accounts } = accountsInFiles(size);
  return {
    run: { kind: "sync", mode },
    files: accountsProject({ ...accounts, records: 1 }),
    source,
    finish: async (successor) => await finishAccounts(successor, { oracle }),
  };
}

/** The same for a run that is held for its rejects, and approved. */
function heldPlanOf(size: SourceSize): LanePlan<LedgerFindings> {
  const { oracle, source, ...accounts } = accountsInFiles(size);
  return {
    run: { kind: "sync", mode: "heavyweight", isHeld: true },
    files: accountsProject({ ...accounts, records: 1, holdIf: "{ rejected_above: 0 }" }),
    source,
    finish: async (successor) => await finishAccounts(successor, { oracle }),
  };
}

function tooFew(what: string, is: number, min: number): readonly string[] {
  return is >= min ? [] : [`${what}: ${is}, at least ${min} are wanted`];
}

function tooLittleFlow(deaths: Deaths): readonly string[] {
  const flowed = deaths.reduce((sum, { found }) => sum + found.numbers.flowed, 0);
  return tooFew("records that flowed", flowed, rowsFlowedMin);
}

/** How many deaths have this number other than 0. */
function countOf(number: keyof LedgerNumbers, deaths: Deaths): number {
  return deaths.filter(({ found }) => found.numbers[number] > 0).length;
}

const chunksOfFiles = 3;

/** A run of three chunks, of which two are staged at once. */
export const heavyweight: SyncTest = {
  plan: async () => planOf("heavyweight", { files: chunksOfFiles, rowsPerFile: 16 }),
  requests: 3 * chunksOfFiles,
  violationsOf: violationsOfFiles,
  missingOf: (deaths) => [
    ...tooLittleFlow(deaths),
    ...tooFew("deaths during a PUT", countOf("duringPut", deaths), chunksOfFiles),
    ...tooFew(
      "deaths after a confirm that was applied",
      countOf("afterAppliedConfirm", deaths),
      chunksOfFiles,
    ),
  ],
};

const chunksOfBodies = 2;
const bodiesPerChunk = 2;

/** A run of two chunks, the records of each too large for one body. */
export const lightweight: SyncTest = {
  plan: async () =>
    planOf("lightweight", { files: chunksOfBodies, rowsPerFile: 24, nameChars: 130_000 }),
  requests: chunksOfBodies * bodiesPerChunk,
  violationsOf: ({ effects, found }) => {
    const { repeated } = found.numbers;
    // A body that was applied before the kill is sent again: nothing else is ever repeated.
    const isAllowed = repeated === 0 || effects.at(-1) === "movePart";
    return [...found.violations, ...(isAllowed ? [] : [`repeated ${repeated} records`])];
  },
  missingOf: (deaths) => [
    ...tooLittleFlow(deaths),
    ...differs(
      "deaths after a body that was applied",
      countOf("repeated", deaths),
      chunksOfBodies * bodiesPerChunk,
    ),
  ],
};

const heldEffects = [
  "setHold",
  "complete weighRun",
  "complete approveHold",
  "complete stagedChunk 1",
];

/** A run of two chunks that a guardrail holds until somebody approves it; it dies where only such a run gets. */
export const heldRun: CrashTest<LedgerFindings> = {
  plan: async () => heldPlanOf({ files: 2, rowsPerFile: 16 }),
  pointsOf: (effects) => {
    const from = effects.indexOf("setHold");
    const to = effects.indexOf("complete stagedChunk 1");
    return effects.flatMap((_, index) => (index >= from && index <= to + 1 ? [index + 1] : []));
  },
  violationsOf: violationsOfFiles,
  missingOf: (_, { effects }) => absentFrom(effects, heldEffects),
};
