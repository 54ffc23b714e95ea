import type { Source } from "../../connectors/contract/connector.ts";
import type { PushSource } from "../../connectors/contract/push.ts";
import type { Check, PushSubject } from "../check.ts";
import type { Harness, PullHarness, PushHarness } from "../harness.ts";
import { msMaxOf, runCheck, type CheckResult } from "../run.ts";
import { Subject } from "../subject.ts";
import { abilityChecks } from "./abilities.ts";
import { caseChecks } from "./cases/cases.ts";
import { deliveryChecks } from "./deliveries.ts";
import { failureChecks } from "./failures.ts";
import { movingChecks } from "./moving.ts";
import { receiveChecks } from "./receive.ts";
import { resourceChecks } from "./resources.ts";
import { resumeChecks } from "./resume.ts";
import { schemaChecks } from "./schema.ts";
import { valueChecks } from "./values.ts";
import { wholeChecks } from "./whole.ts";

/** The checks of a source that is read, in the order of their numbers. */
export const pullChecks: readonly Check[] = [
  ...schemaChecks,
  ...[...wholeChecks, ...resumeChecks, ...resourceChecks, ...movingChecks, ...valueChecks].toSorted(
    (one, other) => numberOf(one) - numberOf(other),
  ),
  ...caseChecks,
  ...failureChecks,
  ...abilityChecks,
];

/** The checks of a source that is pushed to. */
export const pushChecks: readonly Check<PushSubject>[] = [
  ...schemaChecks,
  ...receiveChecks,
  ...deliveryChecks,
];

/** A check of one connector. */
export type TestRun = {
  readonly id: string;
  readonly title: string;
  /** How long it may take; then it ends itself. */
  readonly msMax: number;
  /** Never throws. */
  readonly run: () => Promise<CheckResult>;
};

/**
 * The checks of a connector on its harness, to be run one after the other in this order.
 * @throws {TypeError} the harness is one for the other kind
 */
export function testRunsOf(source: Source | PushSource, harness: Harness): readonly TestRun[] {
  if (source.kind === "push")
    return testRuns(pushChecks, { source, harness: pushHarnessOf(harness) });
  return testRuns(pullChecks, new Subject(source, pullHarnessOf(harness)));
}

function testRuns<On>(checks: readonly Check<On>[], on: On): readonly TestRun[] {
  let hanging: string | undefined;
  return checks.map((check) => {
    const { id, title } = check;
    const run = async (): Promise<CheckResult> => {
      if (hanging !== undefined) {
        // It may still empty and fill the source: the results of other checks would mean nothing.
        const text = `${hanging} had not ended, and may still be at work on the harness`;
        return { id, title, state: "not shown", text, ms: 0, isHanging: false };
      }
      const result = await runCheck(check, on);
      if (result.isHanging) hanging = id;
      return result;
    };
    return { id, title, msMax: msMaxOf(check), run };
  });
}

function pullHarnessOf(harness: Harness): PullHarness {
  if ("fill" in harness) return harness;
  throw new TypeError("a source that is read needs a harness with `fill` and `empty`");
}

function pushHarnessOf(harness: Harness): PushHarness {
  if ("bodyOf" in harness) return harness;
  throw new TypeError("a source that is pushed to needs a harness with `bodyOf`");
}

function numberOf({ id }: Check): number {
  return Number(id.slice(1));
}
