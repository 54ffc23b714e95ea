import type { Mutant } from "../mutant.ts";

const oracle = {
  file: "test/src/pipeline/change-counts.test.ts",
  title: "is what both states differ in, field by field, whatever became of earlier nights",
} as const;

/** Why records are sent, and what a run is held for. */
export const mutantsOfHolds: readonly Mutant[] = [
  {
    id: "S960",
    plants: "a record of which nobody knows whether it is held counts as changed",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "(facts?.committedAt ?? 0) < committedAfter) return verdict.unknown;",
        replace: "(facts?.committedAt ?? 0) < committedAfter) return verdict.changed;",
      },
    ],
    test: oracle,
  },
  {
    id: "S961",
    plants: "a field that a record has for the first time is not named",
    edits: [
      {
        file: "src/state/rules/keys/field-changes.ts",
        find: "if (is === old || !(isChanged || isLost)) continue;",
        replace: "if (is === old || old === 0 || !(isChanged || isLost)) continue;",
      },
    ],
    test: oracle,
  },
  {
    id: "S962",
    plants: "every change is said to be one of the mapping once a mapping has changed",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "return isOlder && mappings.has(older) ? verdict.remapped : verdict.changed;",
        replace: "return isOlder ? verdict.remapped : verdict.changed;",
      },
    ],
    test: oracle,
  },
];
