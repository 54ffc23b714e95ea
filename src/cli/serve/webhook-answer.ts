import { z } from "zod";

import { parseJson } from "../../api/envelope.ts";
import { counted } from "../../text/quantities.ts";

/** What became of a delivery, as its sender learns it. */
export type DeliveryAnswer = {
  readonly status: number;
  /** Events that were kept; undefined if the answer does not say. */
  readonly kept: number | undefined;
  /** The receiver's own code for what was wrong. */
  readonly code: string | undefined;
  /** Seconds, as the receiver asks. */
  readonly retryAfter: number | undefined;
  /** One sentence for a person. */
  readonly meaning: string;
  /** What to do about it. */
  readonly hint: string | undefined;
};

const keptBody = z.object({ kept: z.int().nonnegative() });
const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const hints: Readonly<Record<number, string>> = {
  400: "fix the body; sent again as it is, it is refused again",
  401: "does the receiver have the same secret, and the same clock within 5 minutes?",
  404: "is this connection in the receiver's `sluice.yaml`? Restart it after a change",
  413: "send fewer events at once, or raise the connection's `body_max`",
  503: "send it again under the same id: it may have been kept, and counts once then",
};

/** Reads the answer of a receiver. A body that is not a receiver's is ignored. */
export function deliveryAnswerOf(answer: {
  readonly status: number;
  /** The header as it came. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}): DeliveryAnswer {
  const { status } = answer;
  const body = parseJson(answer.body);
  const kept = keptBody.safeParse(body).data?.kept;
  const error = errorBody.safeParse(body).data?.error;
  const seconds = /^\d{1,9}$/.test(answer.retryAfter ?? "") ? Number(answer.retryAfter) : undefined;
  const retryAfter = status === 503 ? seconds : undefined;
  if (kept === undefined && error === undefined) {
    const meaning = "this is not an answer of a receiver of sluice";
    const hint = "look at the address, and at the proxy in front of the receiver";
    return { status, kept, code: undefined, retryAfter, meaning, hint };
  }
  const meaning = error?.message ?? keptText(status, kept ?? 0);
  return { status, kept, code: error?.code, retryAfter, meaning, hint: hints[status] };
}

function keptText(status: number, kept: number): string {
  if (status === 200) return "it had come before: nothing was kept twice";
  return kept === 0 ? "there was no event in it" : `${counted(kept, "event")} kept`;
}
