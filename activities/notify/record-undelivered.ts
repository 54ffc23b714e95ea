import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import type { NotificationRef } from "../inputs.ts";

/** Adds a warning to the run: which receiver could not be notified of it, and why. */
export function createRecordUndelivered({
  state,
}: Pick<Dependencies, "state">): (
  input: NotificationRef & { readonly why: string },
) => Promise<void> {
  return async ({ runId, target, why }) =>
    await attempt(async () => {
      const run = await state.run(runId);
      if (run === undefined) return;
      const warnings = [`the notification to ${target} was not delivered: ${why}`];
      await state.addWarnings({ runId, warnings });
    });
}
