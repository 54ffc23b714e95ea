import { ApiUnavailableError, OutcomeUnknownError } from "../../errors.ts";
import { endpointOf } from "../endpoints.ts";
import type { Answer, AnswerOutcome, Exchange } from "../exchange.ts";

/**
 * What an answer says of the service: that it works, that it is unwell, or neither, as a refusal of this one
 * request.
 */
export function healthOf(
  { endpoint }: Exchange,
  answer: Answer,
  { kind }: AnswerOutcome,
): "succeeded" | "failed" | "undecided" {
  // 501 is our request: no other would be understood either.
  if (answer.status >= 500 && answer.status !== 501) return "failed";
  if (kind !== "accepted") return "undecided";
  // What the storage says besides its status is not used.
  const isRead = endpointOf(endpoint).family !== "storage";
  return isRead && answer.cutShort !== undefined ? "failed" : "succeeded";
}

/** Whether a request that got no answer says that the service is unwell: no connection, a reset, a time-out. */
export function saysUnwell(error: unknown): error is ApiUnavailableError | OutcomeUnknownError {
  return error instanceof ApiUnavailableError || error instanceof OutcomeUnknownError;
}
