import type { Mutant } from "../mutant.ts";

/** Mutants of the answer to a held run, and of what an operator does at the same time. */
export const mutantsOfConsent: readonly Mutant[] = [
  {
    id: "S1444",
    plants: "an approval is refused while a run is weighed, which the store says is held",
    edits: [
      {
        file: "workflows/sync/consent.ts",
        find: "if (!this.#isWeighing) this.#assertNamed(input);",
        replace: "this.#assertNamed(input);",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title:
        "takes an answer while it is weighed, because the store says first that it is held: approve, done",
    },
  },
  {
    id: "S1445",
    plants: "an approval that came while a run was weighed counts for whatever it is held for",
    edits: [
      {
        file: "workflows/sync/consent.ts",
        find: 'if (decision === "approve") this.#assertNamed(input);\n      else this.#assertHeld();',
        replace: "",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "refuses an answer that came while it was weighed and names something else",
    },
  },
  {
    id: "S1447",
    plants: "an approval of a sync that was renamed says that it was edited",
    edits: [
      {
        file: "src/cli/run/unsendable.ts",
        find: "if (now === undefined) {",
        replace: "if (now === undefined && configHash === null) {",
      },
    ],
    test: {
      file: "test/src/cli/run/approve.test.ts",
      title: "says of a sync that has another name by now that it is not there any more",
    },
  },
  {
    id: "S1448",
    plants: "a plan counts what a held run has staged as unknown, and does not say why",
    edits: [
      {
        file: "src/cli/plan/plan-report.ts",
        find: "open === undefined ? [] : [openText(open)]",
        replace: "open === undefined ? [] : []",
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "names the run that is under way, whose records count as unknown until it has ended",
    },
  },
  {
    id: "S2065",
    plants: "an approval is taken of a run that is being cancelled",
    edits: [
      {
        file: "workflows/sync/consent.ts",
        find: 'if (this.#decision === undefined) this.#decide("discard");',
        replace: "",
      },
    ],
    test: {
      file: "test/workflows/sync/consent.test.ts",
      title: "takes no answer once it ends because it was cancelled",
    },
  },
];
