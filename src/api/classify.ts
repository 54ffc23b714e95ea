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

/** Says what an answer means. `now` (Unix ms) is in for an answer without a Date. */
export function classifyAnswer(exchange: Exchange, answer: Answer, now: number): AnswerOutcome {
  const { endpoint, what } = exchange;
  const envelope = readEnvelope(answer.text);
  const message = `${what}: ${describe(exchange, answer, envelope)}`;
  const hintMs = retryAfterMs(answer.headers, now);
  // A 503 that names a time, or that an object store calls SlowDown, is a 429 by another number. But what a
  // gateway refuses so may have reached the service.
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

/** The status that says what an object store says by a 400 and a code. */
function plainStatus(endpoint: EndpointName, status: number, { storageCode }: Envelope): number {
  if (status !== 400) return status;
  if (storageCode === "RequestTimeout") return 408;
  // The address was signed under a session that has ended since: another one is good, as after its own time.
  const isExpired = storageCode === "ExpiredToken" && endpointOf(endpoint).family === "storage";
  return isExpired ? 403 : status;
}

/** What the words of a 409 say of an upload -> what it means for the confirm. */
const confirmedBefore = {
  // A confirm that was repeated has been done.
  done: "accepted",
  gone: "gone",
  refused: "rejected",
  nothing: "retry x3",
} as const;

/** What a request failed by. */
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
  // A page too large to be read was paid for.
  "too large": ({ answer, message }) =>
    new TooLargeError(message, { mayHaveSucceeded: answer.status === 200 }),
  rejected: ({ exchange, answer, envelope, message }) => {
    const { recordsAt } = endpointOf(exchange.endpoint);
    const refused =
      recordsAt === undefined ? [] : refusedRecords(envelope.issues, recordsAt, exchange.records);
    // A 409 tells of a confirm before this one, and not of what that one did.
    return new ApiRejectedError(message, { refused, mayHaveSucceeded: answer.status === 409 });
  },
  "contract broken": ({ exchange, answer, message }) => {
    // A 200 without end may follow a request that was done, and so may another 2xx.
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

/** The status and what may be told of the answer: never a value of a record, never an object store's own words. */
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
 * Whether the service's words may quote what was sent: once it has looked into records, or at the domain that
 * is asked for.
 */
function mayQuote(endpoint: EndpointName, status: number): boolean {
  const { method, isPaged } = endpointOf(endpoint);
  // A GET sends nothing that could be quoted.
  if (method === "GET") return false;
  if (isPaged) return ![401, 403, 429].includes(status);
  return [400, 413, 422].includes(status) || status >= 500;
}

/** What is complained of; of a query also where, because its members are the configuration's. */
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

/** The body of a 200; `note` is of a request that applies records. */
export type AcceptedAnswer<T> = { readonly data: T; readonly note: AnswerNote | undefined };

/** The first thing that is wrong in an answer, and where. */
function issueText({ issues: [issue] }: z.ZodError): string {
  const where =
    issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  return `${where}: ${issue?.message ?? "of another shape"}`;
}

/**
 * Reads the body of a 200.
 * @throws ApiRejectedError when it speaks of records that were not taken: nobody knows which;
 * ApiContractError when its `status` speaks of failure where no records were sent; OutcomeUnknownError |
 * ApiUnavailableError when it is not what the API document says.
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
