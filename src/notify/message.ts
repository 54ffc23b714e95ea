import type { NotifyConfig } from "../config/schema/notify.ts";
import type { RunReport } from "../report/report.ts";
import { signaturesOf } from "../security/standard-webhooks.ts";
import { slackText } from "./slack.ts";

/** A notification as it is posted. */
export type Message = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const json = { "content-type": "application/json" } as const;

/**
 * The message that tells a receiver of a run. Its id and body are the run's, so that a repeated delivery is
 * known as one; the time it is signed with is `nowMs`, because receivers refuse what is minutes old.
 */
export function notificationMessage(
  receiver: NotifyConfig,
  report: RunReport,
  nowMs: number,
): Message {
  if (receiver.format === "slack") {
    return { headers: json, body: JSON.stringify({ text: slackText(report) }) };
  }
  const held = report.outcome === "held" ? report.hold : undefined;
  const id = `run_${report.run_id}${held === undefined ? "" : `_held_${held.number}`}`;
  const timestamp = Math.floor(nowMs / 1_000);
  const event = {
    type: `run.${report.outcome}`,
    timestamp: held?.since ?? report.ended_at,
    data: report,
  };
  const body = JSON.stringify(event);
  // One that fits is enough: which key a library makes of a secret without `whsec_` is not known here.
  const signatures = signaturesOf({ id, timestamp, body }, receiver.secret);
  return {
    headers: {
      ...json,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.join(" "),
    },
    body,
  };
}
