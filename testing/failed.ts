/** What a check expected and what came instead; no row and no secret may be in it. */
export class CheckFailed extends Error {
  readonly expected: string;
  readonly came: string;

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`);
    this.expected = expected;
    this.came = came;
  }
}

/**
 * Thrown by a check that cannot be made, because a hook of the harness or a member of the connector is missing: it
 * never counts as passed.
 */
export class NotShown extends Error {}

/** Fails unless it holds. @throws {CheckFailed} */
export function mustBe(isSo: boolean, expected: string, came: string): asserts isSo {
  if (!isSo) throw new CheckFailed(expected, came);
}

/** The value, which may be missing; `what` is "the harness has no `breakAt`". @throws {NotShown} it is undefined. */
export function needed<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new NotShown(what);
  return value;
}
