import { isStillNotifying } from "../../local/notification.ts";
import { receiversOf } from "../../notify/receivers.ts";
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
  const retryBudget = AbortSignal.any([signal, AbortSignal.timeout(notifyWaitMsMax)]);
  if (await isStillNotifying(client, report.run_id, retryBudget)) {
    context.say(
      "the notification of this run is not delivered yet: the next worker continues with it",
    );
  }
}
