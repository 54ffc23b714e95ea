import type { WorkflowInfo } from "@temporalio/workflow";
import { z } from "zod";

import { foreignRun, wrongInput } from "../../src/failure-types.ts";
import { configuredName, continuedRun, isRunOf } from "../sync/sync-input.ts";

/** A sync that is left alone for a while, because its run failed. */
const backoff = z.strictObject({
  /** Unix ms. */
  until: z.number(),
  /** Runs that failed in a row. */
  failures: z.int().nonnegative(),
  /** Why the last one failed. */
  why: z.string(),
});

/** Passed on by continue-as-new; nobody types it. */
const continuedDrain = z.strictObject({
  /** Runs so far. */
  runs: z.int().nonnegative(),
  backoffs: z.record(z.string(), backoff),
  /** The run that continues, and its sync. */
  run: continuedRun.extend({ sync: configuredName("sync") }).optional(),
});

const drainInput = z.strictObject({
  connection: configuredName("connection"),
  continued: continuedDrain.optional(),
});

/** The output of `backoff`. */
export type Backoff = z.output<typeof backoff>;

/** Input of the workflow `inboxDrain`. */
export type DrainInput = z.output<typeof drainInput>;

/** Reads the input of a drain, or says what is wrong with it. `firstExecutionRunId` is the workflow's own. */
export function parseDrainInput(
  raw: unknown,
  { firstExecutionRunId }: Pick<WorkflowInfo, "firstExecutionRunId">,
): { readonly input: DrainInput } | { readonly problem: string } {
  const parsed = drainInput.safeParse(raw ?? {});
  const run = parsed.data?.continued?.run;
  const isOwn = run === undefined || isRunOf(run.sync, run, firstExecutionRunId);
  if (parsed.success && isOwn) return { input: parsed.data };
  return { problem: wrongInput(parsed.error ?? foreignRun, { connection: "forms" }) };
}
