import type { Mutant } from "../mutant.ts";

/** Mutants of what a plan says before a run: its calls, and how its mapping differs. */
export const mutantsOfPlanTexts: readonly Mutant[] = [
  {
    id: "S2070",
    plants: "domains inside rows of JSON are not in a plan, which says that there is no call",
    edits: [
      {
        file: "src/cli/plan/pull-plan.ts",
        find: "domainText(cellOf(row))",
        replace: "domainText(row[domainsFrom.column])",
      },
    ],
    test: {
      file: "test/src/cli/plan/pull-plan.test.ts",
      title: "counts domains that are inside rows of JSON, as a run lists them",
    },
  },
  {
    id: "S2096",
    plants: "a mapping whose fields are in another order is that of the last run",
    edits: [
      {
        file: "src/cli/plan/deployed.ts",
        find: 'return { state: isSame ? "same" : "reordered" };',
        replace: 'return { state: isSame || before !== undefined ? "same" : "reordered" };',
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "says that fields are in another order, which changes each record",
    },
  },
  {
    id: "S2114",
    plants:
      "a run that is opened and sends nothing has the text of its mapping taken for the deployed one",
    edits: [
      {
        file: "src/state/store/keys/adoptions.ts",
        find: "doUpdateSet({ opened: written })",
        replace: "doUpdateSet({ opened: written, written })",
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "says so as long as no run in that order had anything accepted",
    },
  },
  {
    id: "S2117",
    plants: "where fields are in another order, a plan says that each record counts as changed",
    edits: [
      {
        file: "src/cli/plan/plan-report.ts",
        find: "a record that has them counts as changed",
        replace: "each record counts as changed",
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "says that fields are in another order, which changes each record that has them",
    },
  },
  {
    id: "S2233",
    plants: "a plan says that it would send what a run fails before",
    edits: [
      {
        file: "src/cli/plan/planned-rejects.ts",
        find: "this.tooMany ??= soFar;",
        replace: "void soFar;",
      },
    ],
    test: {
      file: "test/src/cli/plan/planned-stops.test.ts",
      title: "says that the run fails where it has more rejects than it may",
    },
  },
  {
    id: "S2234",
    plants: "a plan says nothing of the guardrail that holds the run",
    edits: [
      {
        file: "src/cli/plan/planned-hold.ts",
        find: "if (holdIf === undefined) return [];",
        replace: "if (holdIf !== null) return [];",
      },
    ],
    test: {
      file: "test/src/cli/plan/planned-stops.test.ts",
      title: "says that the run is held, and by which guardrail, also where it would send nothing",
    },
  },
];
