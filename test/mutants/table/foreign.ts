import type { Mutant } from "../mutant.ts";

/** Mutants of findings of programs that others wrote. */
export const mutantsOfForeignPrograms: readonly Mutant[] = [
  {
    id: "S170",
    plants: "a page of a wrong shape is paid for three times",
    edits: [
      {
        file: "src/api/classify.ts",
        find: "timesMax: isPaged ? misreadPageTimesMax : faultTimesMax,",
        replace: "timesMax: faultTimesMax,",
      },
    ],
    test: {
      file: "test/src/api/search.test.ts",
      title: "asks once more after a page of another shape",
    },
  },
  {
    id: "S171",
    plants: "a workflow whose input is no JSON stays open for ever",
    edits: [
      {
        file: "workflows/unreadable-input.ts",
        find: 'if (context?.type !== "workflow") throw error;',
        replace: "if (context !== undefined) throw error;",
      },
    ],
    test: {
      file: "test/workflows/unreadable-input.test.ts",
      title: 'ends the workflow where it cannot be read: json/plain {"limit": Infinity}',
    },
  },
  {
    id: "S172",
    plants: "the document of the sandbox allows filters that it refuses",
    edits: [
      {
        file: "src/sandbox/search/query.ts",
        find: "    .meta({ ...shapesOf(of) });",
        replace: "    .meta({});",
      },
    ],
    test: {
      file: "test/src/sandbox/http/openapi.test.ts",
      title: "allows the filters that are taken, and no other: persons by name",
    },
  },
  {
    id: "S173",
    plants: "a notification is signed with the text of a secret that libraries decode",
    edits: [
      {
        file: "src/notify/message.ts",
        find: '"webhook-signature": signatures.join(" "),',
        replace: '"webhook-signature": signatures[0] ?? "",',
      },
    ],
    test: {
      file: "test/src/notify/message.test.ts",
      title: "is signed with each key that a secret of bare base64 may stand for",
    },
  },
];
