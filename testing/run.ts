import { inTime } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import type { Check } from "./check.ts";
import { CheckFailed, NotShown } from "./failed.ts";

/** The result of a check. */
export type CheckResult = {
  readonly id: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "not shown";
  /** One sentence: what was expected, what came, and why it matters; or what is missing. Empty when it passed. */
  readonly text: string;
  readonly ms: number;
  /** Whether it had not ended in time: it may still be at work on the harness. */
  readonly isHanging: boolean;
};

/** How long a check without a limit of its own may take. */
const usualMsMax = 20_000;

/** A check that did not end in time. */
class CheckHung extends CheckFailed {}

/** A check during which something failed that nobody awaits: a handler of the harness's server, a lost promise. */
class CheckDisturbed extends CheckFailed {
  readonly isHanging: boolean;

  constructor(error: unknown, isHanging: boolean) {
    const at = /\/([^/\s]+:\d+):\d+\)?$/m.exec(stackOf(error))?.[1];
    const where = at === undefined ? "" : ` at ${at}`;
    super("no exception that nobody catches", `${nameOf(error)}${where}: ${messageOf(error)}`);
    this.isHanging = isHanging;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "") : "";
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "one";
}

/** How long a check may continue after such an exception: a request that it asked for may never be answered. */
const graceMs = 1_000;

/** @throws {CheckDisturbed} something that nobody awaits failed meanwhile, in the harness or in the connector. */
async function undisturbed(work: Promise<void>): Promise<void> {
  const thrown: unknown[] = [];
  const disturbed = Promise.withResolvers<void>();
  const note = (error: unknown): void => {
    thrown.push(error);
    disturbed.resolve();
  };
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  try {
    await Promise.race([work, disturbed.promise]);
    if (thrown.length === 0) return;
    const isHanging = (await inTime(work.then(isOver, isOver), graceMs)) ?? true;
    throw new CheckDisturbed(thrown[0], isHanging);
  } finally {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  }
}

function isOver(): false {
  return false;
}

/** Runs one check. Never throws: an error of the connector is its failure. */
export async function runCheck<On>(check: Check<On>, on: On): Promise<CheckResult> {
  const { id, title, why } = check;
  const sinceMs = performance.now();
  const done = (state: CheckResult["state"], text: string, isHanging = false): CheckResult => ({
    id,
    title,
    state,
    text,
    ms: Math.round(performance.now() - sinceMs),
    isHanging,
  });
  try {
    const msMax = msMaxOf(check);
    const isInTime = await inTime(
      undisturbed(check.run(on)).then(() => true),
      msMax,
    );
    if (!isInTime) throw new CheckHung(`an end within ${msMax / 1_000} s`, "none");
    return done("passed", "");
  } catch (error) {
    if (error instanceof NotShown) return done("not shown", error.message);
    const what =
      error instanceof CheckFailed
        ? error.message
        : `expected no error; came ${nameOf(error)}: ${messageOf(error)}`;
    const isHanging =
      error instanceof CheckDisturbed ? error.isHanging : error instanceof CheckHung;
    return done("failed", `${what}. ${why}`, isHanging);
  }
}

/** How long a check may take before it counts as hanging. */
export function msMaxOf({ msMax = usualMsMax }: Pick<Check, "msMax">): number {
  return msMax;
}
