import { z } from "zod";

import {
  ApiContractError,
  ApiRejectedError,
  ApiUnavailableError,
  OutcomeUnknownError,
  TooLargeError,
  UploadGoneError,
} from "../errors.ts";
import type { SluiceError, Tolerance } from "../errors.ts";
import { faultTimesMax, misreadPageTimesMax, notFoundMsMax, notFoundTimesMax } from "../limits.ts";
import { acceptanceOf, saidOfConfirmed, type AnswerNote } from "./acceptance.ts";
import {
  parseJson,
  quoteForeign,
  readEnvelope,
  refusedRecords,
  saysCreditsExhausted,
} from "./envelope.ts";
import type { Envelope, Issue } from "./envelope.ts";
import { appliesRecords, leavesTraces } from "./exchange.ts";
import type { Answer, Exchange, Step, Verdict } from "./exchange.ts";
import { contractError, boundedTolerance, unclear } from "./no-answer.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { HeaderValue } from "./retry-after.ts";

type Fate =
  | "accepted"
  | "again"
  | "again x3"
  | "unknown"
  | "unknown x3"
  | "not yet"
  | "contract"
  | "query"
  | "key"
  | "later"
  | "rejected"
  | "tooLarge"
  | "gone";

type Fates = Readonly<Record<Step, Fate>>;

function fates(asking: Fate, putFile: Fate, rest: readonly [Fate, Fate, Fate]): Fates {
  const [confirmUpload, uploadJson, search] = rest;
  return { ping: asking, generateUploadUrl: asking, putFile, confirmUpload, uploadJson, search };
}

const transient = fates("again", "again", ["unknown", "unknown", "unknown"]);
const ourFault = fates("contract", "contract", ["contract", "contract", "contract"]);
const refusal = fates("contract", "contract", ["rejected", "rejected", "query"]);

/** The table of faults.md, section 3: ping and generate-upload-url, PUT, confirm, upload-json, a page. */
const fatesByStatus: Readonly<Record<string, Fates>> = {
  200: fates("accepted", "accepted", ["accepted", "accepted", "accepted"]),
  400: refusal,
  401: fates("key", "contract", ["key", "key", "key"]),
  403: fates("key", "again x3", ["key", "key", "key"]),
  404: fates("contract", "again x3", ["not yet", "contract", "contract"]),
  408: transient,
  409: fates("again x3", "again x3", ["again x3", "contract", "contract"]),
  410: fates("contract", "again", ["gone", "contract", "contract"]),
  413: fates("contract", "tooLarge", ["contract", "tooLarge", "tooLarge"]),
  422: refusal,
  429: fates("later", "later", ["later", "later", "later"]),
  501: ourFault,
  // Success is 200; another 2xx may still have applied the records.
  "2xx": fates("contract", "again x3", ["unknown x3", "unknown x3", "contract"]),
  "3xx": ourFault,
  "4xx": ourFault,
  "5xx": transient,
};

/** Says what an answer means. `now` (Unix ms) stands in for an answer without a Date. */
export function classifyAnswer(exchange: Exchange, answer: Answer, now: number): Verdict {
  const { step, what } = exchange;
  const envelope = readEnvelope(answer.text);
  const message = `${what}: ${describe(exchange, answer, envelope)}`;
  const hintMs = retryAfterMs(answer.headers, now);
  // A 503 that names a time, or that an object store calls SlowDown, is a 429 by another number. But what a gateway refuses so
  // may have reached the service.
  if (answer.status === 503 && (hintMs !== undefined || envelope.storageCode === "SlowDown")) {
    return { kind: "slowDown", message, hintMs, mayBeApplied: leavesTraces(step) };
  }
  const fate = fateOf(exchange, answer, envelope);
  if (fate === "accepted") return { kind: "accepted" };
  if (fate === "key") {
    return { kind: "keyRefused", message };
  }
  if (fate !== "later") {
    return { kind: "failed", error: errors[fate]({ exchange, answer, envelope, message }) };
  }
  return step !== "putFile" && saysCreditsExhausted(envelope)
    ? { kind: "creditsExhausted", message: `${message}; waiting does not help` }
    : { kind: "slowDown", message, hintMs, mayBeApplied: false };
}

function fateOf(
  { step }: Exchange,
  { status, sentWhole, cutShort }: Answer,
  envelope: Envelope,
): Fate {
  // A server may answer 200 before it has the file: measured with 64 KiB of 50 MB sent (faults.md, fact 2).
  if (status === 200 && !sentWhole) return "again";
  if (status === 200 && cutShort === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return step === "search" ? "tooLarge" : "contract";
  }
  if (status === 400 && envelope.storageCode === "RequestTimeout") return transient[step];
  if (status === 409 && step === "confirmUpload") {
    const said = saidOfConfirmed(envelope.message ?? "");
    // A confirm that was repeated has been done.
    if (said === "done") return "accepted";
    if (said !== undefined) return said === "gone" ? "gone" : "rejected";
  }
  const row = fatesByStatus[status] ?? fatesByStatus[`${Math.floor(status / 100)}xx`] ?? ourFault;
  return row[step];
}

/** What a request failed by. */
type Failed = Exclude<Fate, "accepted" | "key" | "later">;

const errors: Readonly<Record<Failed, (judged: Judged) => SluiceError>> = {
  again: ({ message }) => new ApiUnavailableError(message),
  "again x3": (judged) =>
    new ApiUnavailableError(judged.message, { tolerance: toleranceOf(judged, false) }),
  unknown: ({ message }) => new OutcomeUnknownError(message),
  "unknown x3": (judged) =>
    new OutcomeUnknownError(judged.message, { tolerance: toleranceOf(judged, true) }),
  "not yet": ({ exchange, answer, message }) => {
    const limits = { timesMax: notFoundTimesMax, msMax: notFoundMsMax };
    const fault = `${exchange.step} ${answer.status}`;
    const tolerance = { fault, ...limits, becomes: new UploadGoneError(message) };
    return new ApiUnavailableError(message, { tolerance });
  },
  gone: ({ message }) => new UploadGoneError(message),
  // A page too large to be read was paid for.
  tooLarge: ({ answer, message }) =>
    new TooLargeError(message, { mayBeApplied: answer.status === 200 }),
  rejected: ({ exchange, answer, envelope, message }) => {
    const { step, records } = exchange;
    const prefix = step === "uploadJson" ? ["body", "data"] : ["file"];
    const refused = refusedRecords(envelope.issues, prefix, records);
    // A 409 tells of a confirm before this one, and not of what that one did.
    return new ApiRejectedError(message, { refused, mayBeApplied: answer.status === 409 });
  },
  contract: ({ exchange, answer, message }) => {
    // A 200 without end may follow a request that was done, and so may another 2xx.
    const mayBeApplied = answer.status < 300 && leavesTraces(exchange.step);
    const status = answer.status === 200 ? undefined : answer.status;
    return contractError(exchange, message, { mayBeApplied, status });
  },
  query: ({ answer: { status }, message }) =>
    new ApiContractError(message, { status, hint: "Check the pull's search, filters and sort." }),
};

function toleranceOf({ exchange, answer, message }: Judged, mayBeApplied: boolean): Tolerance {
  return boundedTolerance(exchange, { fault: `${answer.status}`, message, mayBeApplied });
}

type Judged = {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly envelope: Envelope;
  readonly message: string;
};

/** The status and what may be told of the answer: never a value of a record, never an object store's own words. */
function describe(
  { step }: Exchange,
  { status, headers, sentWhole, cutShort }: Answer,
  envelope: Envelope,
): string {
  if (status === 200 && !sentWhole) return "200 before the whole file was sent";
  if (status === 200 && cutShort !== undefined)
    return `200, but the answer broke off (${cutShort})`;
  if (status >= 300 && status < 400) {
    return `${status} redirects to ${hostOf(headers.location)}, which is not followed`;
  }
  if (step === "putFile") return [status, envelope.storageCode].join(" ").trimEnd();
  const words =
    envelope.message === undefined || mayQuote(step, status)
      ? [...new Set(envelope.issues.map((issue) => kindOf(step, issue)))].join(", ")
      : envelope.message;
  return words === "" ? `${status}` : `${status} ${quoteForeign(words)}`;
}

/** Whether the service's words may quote what was sent: once it has looked into records, or at the domain that is asked for. */
function mayQuote(step: Step, status: number): boolean {
  if (step === "ping") return false;
  if (step === "search") return ![401, 403, 429].includes(status);
  return [400, 413, 422].includes(status) || status >= 500;
}

/** What is complained of; of a query also where, because its members are the configuration's. */
function kindOf(step: Step, { loc, type }: Issue): string {
  return step === "search" ? `${type} at ${loc.join(".")}` : type;
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

/**
 * Reads the body of a 200.
 * @throws ApiRejectedError when it speaks of records that were not taken: nobody knows which; ApiContractError when its `status`
 * speaks of failure where no records were sent; OutcomeUnknownError | ApiUnavailableError when it is not what the API document says.
 */
export function readAccepted<T>(
  exchange: Exchange,
  answer: Answer,
  schema: z.ZodType<T>,
): AcceptedAnswer<T> {
  const { what, step } = exchange;
  if (answer.cutShort !== undefined) {
    throw unclear(exchange, `200, but the answer broke off (${answer.cutShort})`);
  }
  const json = parseJson(answer.text);
  const accepted = appliesRecords(step) ? acceptanceOf(json, exchange.records) : undefined;
  if (accepted?.isWhole === false) {
    const message = `${what}: 200, but not all was accepted: ${accepted.why}`;
    throw new ApiRejectedError(message, { refused: [], mayBeApplied: true });
  }
  if (accepted === undefined && sayingFailure.safeParse(json).success) {
    const message = `${what}: 200, but its status says that it failed`;
    throw contractError(exchange, message, { mayBeApplied: leavesTraces(step) });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { data: parsed.data, note: accepted?.note };
  const [issue] = parsed.error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  const why = `200, but ${where}: ${issue?.message ?? "not JSON"}`;
  const fault = {
    fault: "misread",
    message: `${what}: ${why}`,
    mayBeApplied: leavesTraces(step),
    timesMax: step === "search" ? misreadPageTimesMax : faultTimesMax,
  };
  throw unclear(exchange, why, { tolerance: boundedTolerance(exchange, fault) });
}
