import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders and files whose tests take longest, in this order (docs/proof/tests.md). */
const longest = [
  "test/e2e/",
  "test/crash/",
  "test/kit/",
  "test/faults/",
  "test/src/cli/connector/",
  "test/activities/postgres/",
  "test/connectors/paging/",
  "test/workflows/",
  "test/src/state/keys/",
  "test/src/webhooks/",
  "test/security/",
  "test/connectors/",
  "test/src/cli/",
];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((path) => moduleId.includes(path));
  return rank === -1 ? longest.length : rank;
}

/** Starts the longest files first: a long file that starts last keeps one core busy while the others are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return await Promise.resolve(files.toSorted((one, other) => rankOf(one) - rankOf(other)));
  }
}
