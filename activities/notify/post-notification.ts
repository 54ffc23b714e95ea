import type { NotifyConfig } from "../../src/config/schema/notify.ts";
import { ConfigError, WrongStoreError } from "../../src/errors.ts";
import { notificationMessage } from "../../src/notify/message.ts";
import { reportOfRun } from "../../src/report/of-run.ts";
import { openHold } from "../../src/state/contract/runs/holds.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import type { NotificationRef } from "../inputs.ts";

/** The receiver of this name. @throws {ConfigError} it no longer exists. */
export function receiverOf({ config }: Pick<Dependencies, "config">, target: string): NotifyConfig {
  const found = config.notify.find((receiver) => receiver.target === target);
  if (found !== undefined) return found;
  throw new ConfigError(`there is no receiver ${target} under \`notify:\` any more`, {
    field: "notify",
  });
}

/**
 * Notifies one receiver of a run that ended, or is held. The report comes from the store, the address and the secret
 * from the configuration, so that neither a history nor a person who starts a workflow decides what is posted where.
 */
export function createPostNotification(
  deps: Pick<Dependencies, "config" | "notifier" | "now" | "state">,
): (input: NotificationRef) => Promise<void> {
  return async ({ runId, target, hold }) =>
    await attempt(async ({ signal }) => {
      const receiver = receiverOf(deps, target);
      const run = await deps.state.run(runId);
      // Somebody dealt with the hold before the receiver could be notified.
      if (run !== undefined && hold !== undefined && openHold(run)?.number !== hold) return;
      if (run === undefined || (run.endedAt === null && hold === undefined)) {
        throw new WrongStoreError(`run ${runId} has not ended, as far as the state store knows`);
      }
      const report = await reportOfRun(deps.state, run);
      await deps.notifier.post(receiver, notificationMessage(receiver, report, deps.now()), signal);
    });
}
