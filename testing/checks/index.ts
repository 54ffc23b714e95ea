import type { Source } from "../../connectors/contract/connector.ts";
import type { PushSource } from "../../connectors/contract/push.ts";
import type { Bench, PullBench, PushBench } from "../bench.ts";
import type { Check, PushSubject } from "../check.ts";
import { msMaxOf, runCheck, type CheckResult } from "../run.ts";
import { Subject } from "../subject.ts";
import { abilityChecks } from "./abilities.ts";
import { deliveryChecks } from "./deliveries.ts";
import { failureChecks } from "./failures.ts";
import { movingChecks } from "./moving.ts";
import { receiveChecks } from "./receive.ts";
import { resourceChecks } from "./resources.ts";
import { resumeChecks } from "./resume.ts";
import { schemaChecks } from "./schema.ts";
import { specimenChecks } from "./specimens.ts";
import { valueChecks } from "./values.ts";
import { wholeChecks } from "./whole.ts";

/** What a source that is read is tried with, in the order of the numbers. */
export const pullChecks: readonly Check[] = [
  ...schemaChecks,
  ...[...wholeChecks, ...resumeChecks, ...resourceChecks, ...movingChecks, ...valueChecks].toSorted(
    (one, other) => numberOf(one) - numberOf(other),
  ),
  ...specimenChecks,
  ...failureChecks,
  ...abilityChecks,
];

/** What a source that is pushed to is tried with. */
export const pushChecks: readonly Check<PushSubject>[] = [
  ...schemaChecks,
  ...receiveChecks,
  ...deliveryChecks,
];

/** A check of one connector. */
export type Trial = {
  readonly id: string;
  readonly title: string;
  /** How long it may take; it ends itself then. */
  readonly msMax: number;
  /** Never throws. */
  readonly run: () => Promise<CheckResult>;
};

/**
 * The checks of a connector on its bench, to be run one after the other in this order.
 * @throws {TypeError} the bench is one for the other kind
 */
export function trialsOf(source: Source | PushSource, bench: Bench): readonly Trial[] {
  if (source.kind === "push") return trials(pushChecks, { source, bench: pushBenchOf(bench) });
  return trials(pullChecks, new Subject(source, pullBenchOf(bench)));
}

function trials<On>(checks: readonly Check<On>[], on: On): readonly Trial[] {
  let hanging: string | undefined;
  return checks.map((check) => {
    const { id, title } = check;
    const run = async (): Promise<CheckResult> => {
      if (hanging !== undefined) {
        // It may still empty and fill the source: what others see there says nothing.
        const text = `${hanging} had not ended, and may still be at work on the bench`;
        return { id, title, state: "not shown", text, ms: 0, isHanging: false };
      }
      const result = await runCheck(check, on);
      if (result.isHanging) hanging = id;
      return result;
    };
    return { id, title, msMax: msMaxOf(check), run };
  });
}

function pullBenchOf(bench: Bench): PullBench {
  if ("fill" in bench) return bench;
  throw new TypeError("a source that is read needs a bench with `fill` and `empty`");
}

function pushBenchOf(bench: Bench): PushBench {
  if ("bodyOf" in bench) return bench;
  throw new TypeError("a source that is pushed to needs a bench with `bodyOf`");
}

function numberOf({ id }: Check): number {
  return Number(id.slice(1));
}
