import { messageOf } from "../src/errors.ts";
import type { Check } from "./check.ts";
import { CheckFailed, NotShown } from "./failed.ts";

/** What became of a check. */
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

/** How long a check may take that does not say. */
const usualMsMax = 20_000;

/** A check that did not end in time. */
class CheckHung extends CheckFailed {}

/** Makes one check. Never throws: what the connector throws is its failure. */
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
    await inTime(check.run(on), msMaxOf(check));
    return done("passed", "");
  } catch (error) {
    if (error instanceof NotShown) return done("not shown", error.message);
    const what =
      error instanceof CheckFailed
        ? error.message
        : `expected no error; came ${error instanceof Error ? error.name : "one"}: ${messageOf(error)}`;
    return done("failed", `${what}. ${why}`, error instanceof CheckHung);
  }
}

/** How long a check may take before it counts as hanging. */
export function msMaxOf({ msMax = usualMsMax }: Pick<Check, "msMax">): number {
  return msMax;
}

async function inTime(work: Promise<void>, msMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CheckHung(`an end within ${msMax / 1_000} s`, "none")),
      msMax,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
