import { expectationOf } from "./compare.ts";
import { updatedText, type WantedMember } from "./edit-yaml.ts";
import type { TestFile } from "./load.ts";
import type { CaseResult } from "./run.ts";

const kinds = ["record", "reject", "filtered"] as const;

/**
 * The text of a file of tests, changed to expect the actual results of its mapping. Undefined if that cannot be
 * written without changing something else, for example below an anchor that others refer to.
 */
export function updatedTests(file: TestFile, results: readonly CaseResult[]): string | undefined {
  const { stream } = file.sync;
  const failed = results.filter(({ differences }) => differences.length > 0);
  const wanted = failed.flatMap(({ case: one, outcomes }): readonly WantedMember[] => {
    const given = outcomes.map((outcome, index) =>
      expectationOf(outcome, one.expected[index] ?? {}, stream),
    );
    if (!one.isSingle) return [{ path: one.path, member: "expect", value: given, instead: [] }];
    return Object.entries(given[0] ?? {}).map(([member, value]) => ({
      path: one.path,
      member,
      value,
      instead: kinds.filter((kind) => kind !== member),
    }));
  });
  return updatedText(file.text, wanted);
}
