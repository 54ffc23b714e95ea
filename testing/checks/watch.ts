import { inTime } from "../../src/clock.ts";
import { SluiceError } from "../../src/errors.ts";
import { CheckFailed, mustBe, NotShown } from "../failed.ts";
import type { HarnessRow, Undo } from "../harness.ts";
import { makeRows, mustBeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";

/** A fault that a harness can cause in a connection. */
export type Fault = "breakAt" | "deny" | "throttle" | "stall";

/** The result of a read while something was wrong. */
export type Watched = {
  readonly rows: readonly HarnessRow[];
  /** The position of the last page that came; undefined without one. */
  readonly position: unknown;
  /** The error that the read threw; undefined when it ended as if nothing had happened. */
  readonly error: unknown;
};

/** A piece that every cell repeats: even a text that quotes only a part of a cell has it. */
export const plantedPiece = "Qz7Kw";

/** Rows that faults are tried on. */
export const plantedRows: readonly HarnessRow[] = makeRows(30).map((row) => ({
  ...row,
  text: plantedPiece.repeat(4),
}));

/** The longest that a read may take to notice a source that does not answer. */
export const noticeMsMax = 15_000;

/** How much longer the hooks and their after-effects may take. */
const graceMs = 1_000;

const errorsSeen = new WeakMap<Subject, Map<Fault, unknown[]>>();

/** The errors that reads threw so far, by fault; a fault that was not tried is not in it. */
export function errorsOf(subject: Subject): Map<Fault, unknown[]> {
  const seen = errorsSeen.get(subject) ?? new Map<Fault, unknown[]>();
  errorsSeen.set(subject, seen);
  return seen;
}

/**
 * Reads the planted rows while `begin` makes something go wrong, and undoes it.
 * @throws {CheckFailed} the read neither continued nor failed in `noticeMsMax`
 */
export async function watch(
  subject: Subject,
  fault: Fault,
  begin: () => Promise<Undo>,
): Promise<Watched> {
  const errors = errorsOf(subject).get(fault) ?? [];
  errorsOf(subject).set(fault, errors);
  await subject.holds(plantedRows);
  const undo = undoOf(await begin(), fault);
  const stop = new AbortController();
  try {
    const watched = await inTime(readOn(subject, stop.signal), noticeMsMax + graceMs);
    const expected = `an error within ${noticeMsMax / 1_000} s of a source that does not answer`;
    mustBe(watched !== undefined, expected, "none");
    if (watched.error !== undefined) errors.push(watched.error);
    return watched;
  } finally {
    stop.abort();
    await undo();
  }
}

const isUndo = (given: unknown): given is Undo => typeof given === "function";

/** Plain JavaScript may give anything. @throws {CheckFailed} it is not a function */
function undoOf(given: unknown, fault: Fault): Undo {
  if (isUndo(given)) return given;
  throw new CheckFailed(
    `the harness's \`${fault}\` to give an async function that takes back what it did`,
    given === null ? "null" : typeof given,
  );
}

async function readOn(subject: Subject, signal: AbortSignal): Promise<Watched> {
  const rows: HarnessRow[] = [];
  let position: unknown;
  try {
    for await (const page of subject.pages({ signal })) {
      rows.push(...page.rows);
      position = page.position;
    }
    return { rows, position, error: undefined };
  } catch (error) {
    if (error instanceof CheckFailed) throw error;
    return { rows, position, error: error ?? new Error("nothing") };
  }
}

/**
 * The error that a read ended in; undefined when it gave every row once. @throws {CheckFailed} it ended as if
 * it had come to the end
 */
export function errorIn({ error, rows }: Watched): unknown {
  if (error !== undefined) return error;
  const came = new Set(rows.map(({ id }) => id)).size;
  const end = `an end after ${came} of ${plantedRows.length} rows, as if there were no more`;
  mustBe(came >= plantedRows.length, "an error", end);
  mustBeRows(rows, plantedRows, "from a source that failed meanwhile");
  return undefined;
}

/**
 * The error that a read had to end in. @throws {NotShown} every row came: the hook did nothing that a
 * connector could see.
 */
export function errorOf(watched: Watched, hook: Fault): unknown {
  const error = errorIn(watched);
  if (error !== undefined) return error;
  throw new NotShown(`the harness's \`${hook}\` kept nothing back: every row came, and no error`);
}

/** Fails unless another try is worth it. @throws {CheckFailed} */
export function mustBeWorthAnotherTry(error: unknown, when: string): void {
  const isWorth = error instanceof SluiceError && error.retryable;
  mustBe(isWorth, `an error that says "try again" (RetryLater) ${when}`, nameOf(error));
}

/** The kind of an error, without its message. */
export function nameOf(error: unknown): string {
  if (error instanceof SluiceError) {
    return error.retryable ? error.name : `${error.name}, which is not tried again`;
  }
  const name = error instanceof Error ? error.name : typeof error;
  return `${name}, which is not one of the errors that a connector throws`;
}
