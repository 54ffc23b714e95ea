import { failureOf } from "./project/harness.ts";
import { splitOf, type Staged, type TestRun } from "./project/test-run.ts";

/** How a part travels. */
export type Form = "body" | "file";

/** The service's answer to each part in turn: it refuses the part without naming a record, or takes it. */
export type Answer = "refused" | "taken";

/** Sends parts until a split stops the run. Returns the type of that failure, undefined if there was none. */
export async function sendUntilStopped(
  run: TestRun,
  chunk: Staged,
  how: { readonly form: Form; readonly answers: readonly Answer[] },
): Promise<string | undefined> {
  const { form, answers } = how;
  const step = form === "body" ? "upload-json" : "confirm-upload";
  const parts = [0];
  for (const answer of answers) {
    if (answer === "refused")
      run.harness.sandbox.order(step, { status: 422, body: { detail: [] } });
    const part = run.part(chunk, parts.shift());
    const failure = await run.attemptPart(part, form);
    if (failure === undefined) continue;
    const split = splitOf(failure);
    if (split === undefined) throw failure;
    const { splitChunk } = run.harness.activities;
    const made = await run.harness
      .perform(splitChunk, { ...part, how: split })
      .catch(async (error: unknown) => await failureOf(Promise.reject(error)));
    if (!("parts" in made)) return made.type ?? "";
    parts.unshift(...made.parts);
  }
  return undefined;
}

/** A limit that the first reject of a sync exceeds. */
export const none = "reject_limit: { rate: 0%, rows: 0 }";

/** The end of a run that its limit stopped. */
export const stopped = {
  outcome: "failed",
  failure: { code: "TooManyRejects", message: "stopped" },
} as const;
