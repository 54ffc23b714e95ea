import { ApiUnavailableError, OutcomeUnknownError } from "../../errors.ts";
import { endpointOf } from "../endpoints.ts";
import type { Answer, AnswerOutcome, Exchange } from "../exchange.ts";

/** What an answer says about the service: it works, it is unwell, or neither, as for a refusal of this one request. */
export function healthOf(
  { endpoint }: Exchange,
  answer: Answer,
  { kind }: AnswerOutcome,
): "succeeded" | "failed" | "undecided" {
  // A 501 is about our request: another one would not be understood either.
  if (answer.status >= 500 && answer.status !== 501) return "failed";
  if (kind !== "accepted") return "undecided";
  // Only the status of a storage answer is used.
  const isRead = endpointOf(endpoint).family !== "storage";
  return isRead && answer.cutShort !== undefined ? "failed" : "succeeded";
}

/** Whether a request that got no answer says that the service is unwell: no connection, a reset, a time-out. */
export function saysUnwell(error: unknown): error is ApiUnavailableError | OutcomeUnknownError {
  return error instanceof ApiUnavailableError || error instanceof OutcomeUnknownError;
}
