import { isStillNotifying } from "../../local/notification.ts";
import { notificationId, receiversOf } from "../../notify/receivers.ts";
import type { RunReport } from "../../report/report.ts";
import { notifyWaitMsMax } from "../limits.ts";
import type { Context } from "../output/context.ts";
import type { CliSession } from "./session.ts";

/** Lets the notification of a run leave before the worker of this command stops with it. */
export async function letNotificationLeave(
  { client, config, hasOtherWorker }: Pick<CliSession, "client" | "config" | "hasOtherWorker">,
  report: RunReport,
  { context, signal }: { readonly context: Pick<Context, "say">; readonly signal: AbortSignal },
): Promise<void> {
  if (hasOtherWorker || receiversOf(config.notify, report).length === 0) return;
  const hold = report.outcome === "held" ? report.hold?.number : undefined;
  const retryBudget = AbortSignal.any([signal, AbortSignal.timeout(notifyWaitMsMax)]);
  if (await isStillNotifying(client, notificationId(report.run_id, hold), retryBudget)) {
    context.say(
      "the notification of this run is not delivered yet: the next worker continues with it",
    );
  }
}
