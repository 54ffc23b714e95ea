import type { NotifyConfig } from "../config/schema/notify.ts";
import type { RunReport } from "../report/report.ts";
import { signaturesOf } from "../security/standard-webhooks.ts";
import { slackTextCharsMax } from "./limits.ts";
import { slackEscaped, slackText } from "./slack.ts";

/** A notification as it is posted. */
export type Message = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const json = { "content-type": "application/json" } as const;

/**
 * The message that reports a run to a receiver. Its id and body are the run's, so that a repeated delivery can be
 * recognised; it is signed with the time `nowMs`, because receivers refuse messages that are minutes old.
 */
export function notificationMessage(
  receiver: NotifyConfig,
  report: RunReport,
  nowMs: number,
): Message {
  if (receiver.format === "slack") {
    return slackMessage(slackText(report));
  }
  const held = report.outcome === "held" ? report.hold : undefined;
  const id = `run_${report.run_id}${held === undefined ? "" : `_held_${held.number}`}`;
  const event = {
    type: `run.${report.outcome}`,
    timestamp: held?.since ?? report.ended_at,
    data: report,
  };
  return signedMessage(receiver, { id, event }, nowMs);
}

/** A message to Slack with this text, cut if it is too long. */
export function slackMessage(text: string): Message {
  // A cut within a character leaves half of it, which UTF-8 cannot carry.
  const cut = slackEscaped(text.slice(0, slackTextCharsMax).replace(/\p{Surrogate}$/u, ""));
  return { headers: json, body: JSON.stringify({ text: cut }) };
}

/** A Standard Webhooks event, signed at `nowMs`; its id identifies a repeated delivery. */
export function signedMessage(
  { secret }: Extract<NotifyConfig, { readonly format: "event" }>,
  { id, event }: { readonly id: string; readonly event: object },
  nowMs: number,
): Message {
  const timestamp = Math.floor(nowMs / 1_000);
  const body = JSON.stringify(event);
  // One valid signature is enough: which key a library makes of a secret without `whsec_` is not known here.
  const signatures = signaturesOf({ id, timestamp, body }, secret);
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
