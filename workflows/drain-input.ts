import type { WorkflowInfo } from "@temporalio/workflow";
import { z } from "zod";

import { configuredName, continuedRun, isRunOf } from "./sync-input.ts";

/** A sync that is left alone for a while, because its run failed. */
const rest = z.strictObject({
  /** Unix ms. */
  until: z.number(),
  /** Runs that failed in a row. */
  failures: z.int().nonnegative(),
  /** What the last one failed of. */
  why: z.string(),
});

/** What continue-as-new hands on; nobody types it. */
const continuedDrain = z.strictObject({
  /** Runs so far. */
  runs: z.int().nonnegative(),
  rests: z.record(z.string(), rest),
  /** The run that goes on, and its sync. */
  run: continuedRun.extend({ sync: configuredName("sync") }).optional(),
});

const drainInput = z.strictObject({
  connection: configuredName("connection"),
  continued: continuedDrain.optional(),
});

/** As `rest`. */
export type Rest = z.output<typeof rest>;

/** Input of the workflow `inboxDrain`. */
export type DrainInput = z.output<typeof drainInput>;

/** Characters of what is said of a wrong input. */
const problemCharsMax = 2_000;

/** Reads the input of a drain, or says what is wrong with it. `firstExecutionRunId` is the workflow's own. */
export function parseDrainInput(
  raw: unknown,
  { firstExecutionRunId }: Pick<WorkflowInfo, "firstExecutionRunId">,
): { readonly input: DrainInput } | { readonly problem: string } {
  const parsed = drainInput.safeParse(raw ?? {});
  const run = parsed.data?.continued?.run;
  const isOwn = run === undefined || isRunOf(run.sync, run, firstExecutionRunId);
  if (parsed.success && isOwn) return { input: parsed.data };
  const problems =
    parsed.error === undefined
      ? "✖ continued: only a workflow itself continues its run"
      : z.prettifyError(parsed.error).slice(0, problemCharsMax);
  const example = JSON.stringify({ connection: "forms" });
  return { problem: `the input of this workflow is wrong:\n${problems}\nTry:\n${example}` };
}
