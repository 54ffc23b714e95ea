import { z } from "zod";

import type { OpenedPull } from "../../activities/pull/inputs.ts";
import { foreignRun, wordingOfInput, wrongInput } from "../../src/failure-types.ts";
import { nameCharsMax } from "../../src/limits.ts";
import type { PullProgress } from "../sync/progress.ts";
import { isObject, isRunOf, newRunId } from "../sync/sync-input.ts";

const nameMessage = "the name of a pull in sluice.yaml";

const pullInput = z.strictObject({
  pull: z
    .string()
    .max(nameCharsMax, nameMessage)
    .regex(/^[a-z][a-z0-9_-]*$/, nameMessage),
  /** Begins anew, even if the last run left something to do. */
  full: z.boolean().optional(),
  /** Results to read at most. */
  limit: z.int().positive().optional(),
  /** Passed on by continue-as-new; nobody types it. */
  continued: z
    .strictObject({
      run_id: z.string(),
      opened: z.custom<OpenedPull>(isObject),
      progress: z.custom<PullProgress>(isObject),
    })
    .optional(),
});

/** Input of the workflows `searchPull` and `jobPostingsPull`, as a person types it into the Web UI. */
export type PullInput = z.output<typeof pullInput>;

/** A whole object to paste, with the given name where it is valid. */
function corrected(raw: unknown): PullInput {
  const { pull } = z.looseObject({ pull: z.unknown() }).safeParse(raw).data ?? {};
  const name = pullInput.shape.pull.safeParse(pull);
  return { pull: name.data ?? "account_scores", full: false, limit: 1000 };
}

/** Reads the input of a pull's workflow, or says what is wrong with it and how it might look; see `parseSyncInput`. */
export function parsePullInput(
  raw: unknown,
  workflow: { readonly firstExecutionRunId: string; readonly startTime: Date },
): { readonly input: PullInput; readonly runId: string } | { readonly problem: string } {
  const parsed = pullInput.safeParse(raw ?? {}, { error: wordingOfInput });
  const { pull, continued } = parsed.data ?? {};
  if (pull !== undefined && continued === undefined && parsed.success) {
    return { input: parsed.data, runId: newRunId(pull, workflow) };
  }
  if (parsed.success && continued !== undefined) {
    const { firstExecutionRunId } = workflow;
    if (isRunOf(parsed.data.pull, continued, firstExecutionRunId)) {
      return { input: parsed.data, runId: continued.run_id };
    }
  }
  return { problem: wrongInput(parsed.error ?? foreignRun, corrected(raw)) };
}
