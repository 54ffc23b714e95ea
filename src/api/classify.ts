import { z } from "zod";

import {
  ApiContractError,
  ApiRejectedError,
  ApiUnavailableError,
  OutcomeUnknownError,
  TooLargeError,
  UploadGoneError,
} from "../errors.ts";
import type { SluiceError, RetryBudget } from "../errors.ts";
import { acceptanceOf, saidOfConfirmed, type AnswerNote } from "./acceptance.ts";
import { endpointOf, outcomeOfStatus } from "./endpoints.ts";
import type { EndpointName, StatusOutcome } from "./endpoints.ts";
import {
  parseJson,
  quoteForeign,
  readEnvelope,
  refusedRecords,
  saysCreditsExhausted,
} from "./envelope.ts";
import type { Envelope, Issue } from "./envelope.ts";
import type { Answer, AnswerOutcome, Exchange } from "./exchange.ts";
import { contractError, boundedRetryBudget, unclear } from "./http/no-answer.ts";
import { retryAfterMs } from "./http/retry-after.ts";
import type { HeaderValue } from "./http/retry-after.ts";
import { misreadPageTimesMax, notFoundMsMax, notFoundTimesMax, faultTimesMax } from "./limits.ts";

/** Says what an answer means. `now` (Unix ms) is used for an answer without a Date. */
export function classifyAnswer(exchange: Exchange, answer: Answer, now: number): AnswerOutcome {
  const { endpoint, what } = exchange;
  const envelope = readEnvelope(answer.text);
  const message = `${what}: ${describe(exchange, answer, envelope)}`;
  const hintMs = retryAfterMs(answer.headers, now);
  // A 503 that names a time, or that an object store calls SlowDown, is treated as a 429. But a request that a gateway
  // refuses this way may have reached the service.
  if (answer.status === 503 && (hintMs !== undefined || envelope.storageCode === "SlowDown")) {
    return {
      kind: "slowDown",
      message,
      hintMs,
      mayHaveSucceeded: endpointOf(endpoint).hasSideEffects,
    };
  }
  const outcome = outcomeOf(exchange, answer, envelope);
  if (outcome === "accepted") return { kind: "accepted" };
  if (outcome === "key refused") return { kind: "keyRefused", message };
  if (outcome !== "slow down") {
    return { kind: "failed", error: errors[outcome]({ exchange, answer, envelope, message }) };
  }
  return endpointOf(endpoint).family !== "storage" && saysCreditsExhausted(envelope)
    ? { kind: "creditsExhausted", message: `${message}; waiting does not help` }
    : { kind: "slowDown", message, hintMs, mayHaveSucceeded: false };
}

function outcomeOf(
  { endpoint }: Exchange,
  { status, sentWhole, cutShort }: Answer,
  envelope: Envelope,
): Exclude<StatusOutcome, "confirmed before"> {
  // A server may answer 200 before it has the file: measured with 64 KiB of 50 MB sent.
  if (status === 200 && !sentWhole) return "retry";
  if (status === 200 && cutShort === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return endpointOf(endpoint).isPaged ? "too large" : "contract broken";
  }
  const outcome = outcomeOfStatus(endpoint, plainStatus(endpoint, status, envelope));
  if (outcome !== "confirmed before") return outcome;
  return confirmedBefore[saidOfConfirmed(envelope.message ?? "") ?? "nothing"];
}

/** The status that an object store means by a 400 with a code. */
function plainStatus(endpoint: EndpointName, status: number, { storageCode }: Envelope): number {
  if (status !== 400) return status;
  if (storageCode === "RequestTimeout") return 408;
  // The session that signed the address has ended: a new address works, as after its own expiry.
  const isExpired = storageCode === "ExpiredToken" && endpointOf(endpoint).family === "storage";
  return isExpired ? 403 : status;
}

/** What a 409 says about an upload -> what that means for the confirm. */
const confirmedBefore = {
  // The confirm repeats one that was done.
  done: "accepted",
  gone: "gone",
  refused: "rejected",
  nothing: "retry x3",
} as const;

/** The outcomes with which a request fails. */
type Failed = Exclude<ReturnType<typeof outcomeOf>, "accepted" | "key refused" | "slow down">;

const errors: Readonly<Record<Failed, (judged: Judged) => SluiceError>> = {
  retry: ({ message }) => new ApiUnavailableError(message),
  "retry x3": (judged) =>
    new ApiUnavailableError(judged.message, { retryBudget: retryBudgetOf(judged, false) }),
  unknown: ({ message }) => new OutcomeUnknownError(message),
  "unknown x3": (judged) =>
    new OutcomeUnknownError(judged.message, { retryBudget: retryBudgetOf(judged, true) }),
  "not yet": ({ exchange, answer, message }) => {
    const limits = { timesMax: notFoundTimesMax, msMax: notFoundMsMax };
    const fault = `${exchange.endpoint} ${answer.status}`;
    const retryBudget = { fault, ...limits, becomes: new UploadGoneError(message) };
    return new ApiUnavailableError(message, { retryBudget });
  },
  gone: ({ message }) => new UploadGoneError(message),
  // A page that was too large to read was paid for.
  "too large": ({ answer, message }) =>
    new TooLargeError(message, { mayHaveSucceeded: answer.status === 200 }),
  rejected: ({ exchange, answer, envelope, message }) => {
    const { recordsAt } = endpointOf(exchange.endpoint);
    const refused =
      recordsAt === undefined ? [] : refusedRecords(envelope.issues, recordsAt, exchange.records);
    // A 409 reports an earlier confirm, but not what that one did.
    return new ApiRejectedError(message, { refused, mayHaveSucceeded: answer.status === 409 });
  },
  "contract broken": ({ exchange, answer, message }) => {
    // A request that was carried out may be answered by an endless 200, or by another 2xx.
    const mayHaveSucceeded = answer.status < 300 && endpointOf(exchange.endpoint).hasSideEffects;
    const status = answer.status === 200 ? undefined : answer.status;
    return contractError(exchange, message, { mayHaveSucceeded, status });
  },
  "bad query": ({ answer: { status }, message }) =>
    new ApiContractError(message, { status, hint: "Check the pull's search, filters and sort." }),
};

function retryBudgetOf(
  { exchange, answer, message }: Judged,
  mayHaveSucceeded: boolean,
): RetryBudget {
  return boundedRetryBudget(exchange, { fault: `${answer.status}`, message, mayHaveSucceeded });
}

type Judged = {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly envelope: Envelope;
  readonly message: string;
};

/** The status and the part of the answer that may be shown: never a record's value or an object store's own words. */
function describe(
  { endpoint }: Exchange,
  { status, headers, sentWhole, cutShort }: Answer,
  envelope: Envelope,
): string {
  if (status === 200 && !sentWhole) return "200 before the whole file was sent";
  if (status === 200 && cutShort !== undefined)
    return `200, but the answer broke off (${cutShort})`;
  if (status >= 300 && status < 400) {
    return `${status} redirects to ${hostOf(headers.location)}, which is not followed`;
  }
  if (endpointOf(endpoint).family === "storage")
    return [status, envelope.storageCode].join(" ").trimEnd();
  const words =
    envelope.message === undefined || mayQuote(endpoint, status)
      ? [...new Set(envelope.issues.map((issue) => kindOf(endpoint, issue)))].join(", ")
      : envelope.message;
  return words === "" ? `${status}` : `${status} ${quoteForeign(words)}`;
}

/**
 * Whether the service's words may quote what was sent: they may once it has looked into the records, or at the
 * requested domain.
 */
function mayQuote(endpoint: EndpointName, status: number): boolean {
  const { method, isPaged } = endpointOf(endpoint);
  // A GET sends nothing that could be quoted.
  if (method === "GET") return false;
  if (isPaged) return ![401, 403, 429].includes(status);
  return [400, 413, 422].includes(status) || status >= 500;
}

/** The kind of an issue; for a query also its place, because the members of a query come from the configuration. */
function kindOf(endpoint: EndpointName, { loc, type }: Issue): string {
  return endpointOf(endpoint).isPaged ? `${type} at ${loc.join(".")}` : type;
}

function hostOf(location: HeaderValue): string {
  const url = typeof location === "string" ? URL.parse(location, "http://itself") : null;
  return url === null ? "an unreadable address" : quoteForeign(url.host);
}

const sayingFailure = z.object({
  status: z.string().regex(/^(err|fail|reject|refus|invalid|denied)/i),
});

/** The body of a 200; only a request that applies records has a `note`. */
export type AcceptedAnswer<T> = { readonly data: T; readonly note: AnswerNote | undefined };

/** The first fault in an answer, and where it is. */
function issueText({ issues: [issue] }: z.ZodError): string {
  const where =
    issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  return `${where}: ${issue?.message ?? "of another shape"}`;
}

/**
 * Reads the body of a 200.
 * @throws ApiRejectedError when it says that records were not taken: nobody knows which; ApiContractError when no
 * records were sent and its `status` says that the request failed; OutcomeUnknownError | ApiUnavailableError when it is
 * not what the API document describes.
 */
export function readAccepted<T>(
  exchange: Exchange,
  answer: Answer,
  schema: z.ZodType<T>,
): AcceptedAnswer<T> {
  const { what, endpoint } = exchange;
  if (answer.cutShort !== undefined) {
    throw unclear(exchange, `200, but the answer broke off (${answer.cutShort})`);
  }
  const json = parseJson(answer.text);
  const { isMutating, isPaged } = endpointOf(endpoint);
  const accepted = isMutating ? acceptanceOf(json, exchange.records) : undefined;
  if (accepted?.isWhole === false) {
    const message = `${what}: 200, but not all was accepted: ${accepted.why}`;
    throw new ApiRejectedError(message, { refused: [], mayHaveSucceeded: true });
  }
  if (accepted === undefined && sayingFailure.safeParse(json).success) {
    const message = `${what}: 200, but its status says that it failed`;
    throw contractError(exchange, message, {
      mayHaveSucceeded: endpointOf(endpoint).hasSideEffects,
    });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { data: parsed.data, note: accepted?.note };
  const why = `200, but ${json === undefined ? "the answer is not JSON" : issueText(parsed.error)}`;
  const fault = {
    fault: "misread",
    message: `${what}: ${why}`,
    mayHaveSucceeded: endpointOf(endpoint).hasSideEffects,
    timesMax: isPaged ? misreadPageTimesMax : faultTimesMax,
  };
  throw unclear(exchange, why, { retryBudget: boundedRetryBudget(exchange, fault) });
}
