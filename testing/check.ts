import type { PushSource } from "../connectors/contract/push.ts";
import type { PushHarness } from "./harness.ts";
import type { Subject } from "./subject.ts";

/** One mistake that the kit looks for. */
export type Check<On = Subject> = {
  /** `R4`: stable, as docs/connectors.md lists it. */
  readonly id: string;
  /** The claim that holds when it passes: "resumes at every page boundary". */
  readonly title: string;
  /** How long it may take before it counts as hanging. @default 20 s: the whole kit is to end in seconds */
  readonly msMax?: number;
  /** Why a connector that fails it loses or repeats rows in production; one sentence. */
  readonly why: string;
  /**
   * @throws {CheckFailed} it does not hold. @throws {NotShown} it cannot be made. Any other error is the connector's: a
   * failure too.
   */
  run(on: On): Promise<void>;
};

/** A push connector with its sender. */
export type PushSubject = { readonly source: PushSource; readonly harness: PushHarness };
