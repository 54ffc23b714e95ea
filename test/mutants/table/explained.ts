import type { Mutant } from "../mutant.ts";

const explained = "src/cli/run/explained.ts";
const explainTest = "test/src/cli/run/explain.test.ts";

/** Mutants of what a record is said to have become. */
export const mutantsOfExplained: readonly Mutant[] = [
  {
    id: "S1080",
    plants: "what is forgotten is told as sent and not settled",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: 'if (send <= validAfter) return { state: "unknown", why: "forgotten" };',
        replace: 'if (send <= validAfter) return { state: "unknown", why: "unsettled" };',
      },
    ],
    test: { file: explainTest, title: "says why nothing is known" },
  },
  {
    id: "S1081",
    plants: "a scan tells of rows of other keys",
    edits: [
      { file: explained, find: "if (scans && key !== name) continue;", replace: "" },
      { file: explained, find: "(!scans || key === name)", replace: "(true)" },
    ],
    test: { file: explainTest, title: "tells of what is unchanged, new, rejected and gone" },
  },
  {
    id: "S1082",
    plants: "rejects of other syncs are told for a key",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "where r.key = ${key} and u.target = ${target} and u.sync = ${sync}",
        replace: "where r.key = ${key} and u.target = ${target}",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are told by key with those that are not open any more",
    },
  },
];
