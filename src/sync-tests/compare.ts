import { isDeepStrictEqual } from "node:util";

import type { Path } from "../config/document/document.ts";
import { isPlainObject } from "../records/json-value.ts";
import { shapeOf, type Stream } from "../records/streams.ts";
import type { Expectation, RowOutcome } from "./outcome.ts";

/** A member that differs from a test's expectation. */
export type MemberDifference = {
  /** From the expectation to the member, which may be missing. */
  readonly path: Path;
  /** Undefined: the test expects nothing there. */
  readonly expected: unknown;
  /** Undefined: nothing is there. */
  readonly actual: unknown;
  /** Why a row was rejected, or a field left out. */
  readonly why?: string | undefined;
};

/** The outcome of a row as an expectation, with as much detail as `like`. */
export function expectationOf(outcome: RowOutcome, like: Expectation, stream: Stream): Expectation {
  if ("record" in outcome) {
    const { discriminator } = shapeOf(stream);
    const { [discriminator]: named, ...fields } = outcome.record;
    const isNamed = like.record !== undefined && Object.hasOwn(like.record, discriminator);
    return { record: isNamed ? { [discriminator]: named, ...fields } : fields };
  }
  if (!("reject" in outcome)) return outcome;
  const { code, field } = outcome.reject;
  if (typeof like.reject === "string") return { reject: code };
  const isNamed = like.reject === undefined || like.reject.field !== undefined;
  return { reject: isNamed && field !== undefined ? { code, field } : { code } };
}

/** The members of a record that differ from the expectation; for any other outcome the whole. */
export function memberDifferences(
  outcome: RowOutcome,
  expected: Expectation,
  stream: Stream,
): readonly MemberDifference[] {
  const actual = expectationOf(outcome, expected, stream);
  if (isDeepStrictEqual(expected, actual)) return [];
  const found =
    expected.record === undefined || actual.record === undefined
      ? [{ path: [], expected, actual }]
      : membersThatDiffer(expected, actual, []);
  return found.map((one) => ({ ...one, why: whyOf(outcome, one) }));
}

function whyOf(outcome: RowOutcome, { path }: MemberDifference): string | undefined {
  if ("reason" in outcome) return outcome.reason;
  if (!("omitted" in outcome)) return undefined;
  return outcome.omitted?.get(path.slice(1).map(String).join("."));
}

/** Objects are compared member by member, in any order; everything else as a whole. */
function membersThatDiffer(
  expected: unknown,
  actual: unknown,
  path: Path,
): readonly MemberDifference[] {
  if (!isPlainObject(expected) || !isPlainObject(actual))
    return isDeepStrictEqual(expected, actual) ? [] : [{ path, expected, actual }];
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((name) =>
    membersThatDiffer(memberOf(expected, name), memberOf(actual, name), [...path, name]),
  );
}

function memberOf(group: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(group, name) ? group[name] : undefined;
}
