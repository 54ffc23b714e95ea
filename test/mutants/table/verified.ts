import type { Mutant } from "../mutant.ts";

const lookUp = "src/verify/look-up.ts";
const verifyTest = "test/src/cli/verify/verify.test.ts";
const twenty = {
  file: verifyTest,
  title: "finds each of twenty differences and nothing else, with the calls that it announced",
};

/** Mutants of verifying records in the service. */
export const mutantsOfVerified: readonly Mutant[] = [
  {
    id: "S1120",
    plants: "a look makes one call more than was announced",
    edits: [
      {
        file: lookUp,
        find: "while (tally.requests < callsMax) {",
        replace: "while (tally.requests <= callsMax) {",
      },
    ],
    test: {
      file: verifyTest,
      title: "looks up no more than calls-max allows, and says what is left",
    },
  },
  {
    id: "S1121",
    plants: "the first of several results is taken for the record",
    edits: [
      {
        file: lookUp,
        find: 'if (another !== undefined) return { record, verdict: "ambiguous" };',
        replace: "",
      },
    ],
    test: twenty,
  },
  {
    id: "S1122",
    plants: "what the service may still be working on is called missing",
    edits: [
      {
        file: lookUp,
        find: 'verdict: isRecent ? "recent" : "missing"',
        replace: 'verdict: "missing"',
      },
    ],
    test: {
      file: verifyTest,
      title: "calls nothing missing or different that was accepted within a day",
    },
  },
  {
    id: "S1123",
    plants: "a field whose row has changed since is compared with what is shown",
    edits: [{ file: "src/verify/compare.ts", find: "changed.has(field) ||", replace: "" }],
    test: {
      file: verifyTest,
      title:
        "compares what was sent: a field whose row has changed since is left out, a domain not looked up",
    },
  },
  {
    id: "S1124",
    plants: "a sample depends on the order of the rows",
    edits: [
      {
        file: "src/verify/sample.ts",
        find: 'return hash("sha256", `${this.#seed}\\n${key}`);',
        replace: "return String(1e6 + this.#seed + this.#drawn.length) + key.slice(0, 0);",
      },
    ],
    test: {
      file: verifyTest,
      title: "draws the same records again by the same seed, and others by another",
    },
  },
  {
    id: "S1125",
    plants: "more keys than calls are looked up as far as the calls go",
    edits: [
      {
        file: "src/verify/verify.ts",
        find: 'if ("keys" in choice && needed > callsMax) {',
        replace: 'if ("keys" in choice && needed > Infinity) {',
      },
    ],
    test: {
      file: verifyTest,
      title:
        "asks for nothing where more keys are named than calls-max allows, or one that no row has",
    },
  },
  {
    id: "S1126",
    plants: "a look goes on when the credits are used up",
    edits: [
      {
        file: lookUp,
        find: "if (error instanceof ApiAuthError || error instanceof CreditsExhaustedError) return true;",
        replace: "if (error instanceof ApiAuthError) return true;",
      },
    ],
    test: {
      file: verifyTest,
      title:
        "stops when the credits are used up, prints what it found, and asks for nothing the next time",
    },
  },
  {
    id: "S1127",
    plants: "records that were never accepted are looked up",
    edits: [
      {
        file: "src/verify/choose.ts",
        find: 'if (record?.state !== "accepted") continue;',
        replace: "if (record?.state === undefined) continue;",
      },
      {
        file: "src/verify/choose.ts",
        find: "const { acceptedAt } = record;",
        replace: 'const acceptedAt = "acceptedAt" in record ? record.acceptedAt : 0;',
      },
    ],
    test: {
      file: verifyTest,
      title:
        "compares what was sent: a field whose row has changed since is left out, a domain not looked up",
    },
  },
  {
    id: "S1137",
    plants: "a scheduled look whose worker failed is made once more",
    edits: [
      {
        file: "workflows/policies.ts",
        find: "retry: { maximumAttempts: 1 },",
        replace: "retry: { maximumAttempts: 2, initialInterval: 1 },",
      },
    ],
    test: {
      file: "test/workflows/verify/verify.test.ts",
      title: "does not look a second time when it fails, because each call has cost",
    },
  },
  {
    id: "S1138",
    plants: "what a scheduled look found enters Temporal with its keys",
    edits: [
      {
        file: "src/verify/report.ts",
        find: "return { sync, seed, read, ...summaryOf(looked), stopped: looked.stopped?.code };",
        replace:
          "return { sync, seed, read, ...summaryOf(looked), ...{ all: looked.records.map((r) => r.record.key) } };",
      },
    ],
    test: {
      file: "test/activities/verify/verify-sync.test.ts",
      title: "counts what it finds in a sample, and names no record and no value",
    },
  },
  {
    id: "S1139",
    plants: "a scheduled look forgets its calls_max",
    edits: [
      {
        file: "activities/verify/verify-sync.ts",
        find: "{ sync: name, stream, choice, callsMax: verify.callsMax, pages },",
        replace: "{ sync: name, stream, choice, callsMax: undefined, pages },",
      },
    ],
    test: {
      file: "test/activities/verify/verify-sync.test.ts",
      title: "makes no more calls than its calls_max",
    },
  },
  {
    id: "S1090",
    plants: "`verify:` is taken of a sync that sends all, though each look would fail",
    edits: [
      {
        file: "src/config/verify.ts",
        find: 'if (send !== "all") return undefined;',
        replace: 'if (send !== "changed") return undefined;',
      },
    ],
    test: {
      file: "test/src/config/verify.test.ts",
      title: "verify is refused where each look would fail",
    },
  },
  {
    id: "S1235",
    plants: "nobody hears of a scheduled look that failed",
    edits: [
      {
        file: "workflows/verify/verify.ts",
        find: "if (!isCancellation(cause)) await tellFailed(sync, cause);",
        replace: "if (isCancellation(cause)) await tellFailed(sync, cause);",
      },
    ],
    test: {
      file: "test/workflows/verify/verify.test.ts",
      title:
        "does not look a second time when it fails, because each call has cost, and tells of it",
    },
  },
  {
    id: "S1446",
    plants: "a look at nothing ends as one that found all as it was sent",
    edits: [
      {
        file: "src/verify/verify.ts",
        find: 'if (!("keys" in choice)) refuseNothing(chosen, sync);',
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/verify/verify.test.ts",
      title: "does not take a look at nothing for one that found all as it was sent",
    },
  },
  {
    id: "S1757",
    plants: "of what a run holds it is said that another run sends it",
    edits: [
      {
        file: "src/verify/verify.ts",
        find: "`\\`sluice status\\` says whether a run has them on the way; else \\`sluice run ${sync}\\` sends them`",
        replace: "`\\`sluice run ${sync}\\` sends them`",
      },
    ],
    test: {
      file: "test/src/cli/verify/verify.test.ts",
      title: "does not take a look at nothing for one that found all as it was sent",
    },
  },
  {
    id: "S1890",
    plants: "what was adopted is compared as if it had been sent",
    edits: [
      {
        file: "src/verify/choose.ts",
        find: "new Set([...fields, ...(record.adopted?.fields ?? [])]);",
        replace: "new Set(fields);",
      },
    ],
    test: {
      file: verifyTest,
      title:
        "does not compare fields that were adopted otherwise than they were sent, one after the other",
    },
  },
  {
    id: "S1891",
    plants: "only the fields of the last adoption of a record are told",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: "and a.send = f.send))) as adoptedFields",
        replace: "and a.send = f.send and a.hash = f.hash))) as adoptedFields",
      },
    ],
    test: {
      file: "test/src/state/keys/adoptions.test.ts",
      title: "tell the fields of each that a record was taken by since it was sent",
    },
  },
  {
    id: "S1892",
    plants: "a row that runs reject is looked up in place of the one that was sent",
    edits: [
      {
        file: "src/verify/sample.ts",
        find: "if (isAgain && this.#keepsFirst) return;",
        replace: "",
      },
    ],
    test: {
      file: verifyTest,
      title: "compares the row that was sent, not a later one of its key, which runs reject",
    },
  },
  {
    id: "S2016",
    plants: "verify reads its source to the end although it was interrupted",
    edits: [
      {
        file: "src/cli/verify/verify.ts",
        find: "{ limit: Number.MAX_SAFE_INTEGER, signal }",
        replace: "{ limit: Number.MAX_SAFE_INTEGER }",
      },
    ],
    test: {
      file: "test/src/cli/verify/interrupted.test.ts",
      title: "reads a source no further once it is interrupted",
    },
  },
];
