import { hash } from "node:crypto";

import type { NotifyConfig } from "../config/schema/notify.ts";
import { verifyLines } from "../text/verified-lines.ts";
import { type FailedVerify, isWorthTelling, type VerifyReport } from "../verify/report.ts";
import { signedMessage, slackMessage, type Message } from "./message.ts";

/** The message that reports a scheduled verification to a receiver. */
export function verifiedMessage(
  receiver: NotifyConfig,
  told: {
    readonly report: FailedVerify | VerifyReport;
    readonly workflowId: string;
    readonly at: string;
  },
  nowMs: number,
): Message {
  const { report, workflowId, at } = told;
  if (receiver.format === "slack") return slackMessage(verifyLines(report).join("\n"));
  const type =
    "error" in report ? "verify.failed" : isWorthTelling(report) ? "verify.differs" : "verify.same";
  const event = { type, timestamp: at, data: report };
  // Both contain full stops, which the id of a delivery must not.
  const look = hash("sha256", `${workflowId} ${at}`).slice(0, 32);
  return signedMessage(receiver, { id: `verify_${look}`, event }, nowMs);
}
