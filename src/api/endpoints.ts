import type { Dispatcher } from "undici";

/** The meaning of an endpoint's status for the request. */
export type StatusOutcome =
  | "accepted"
  /** Nothing was applied: the request is made again until it gets through. */
  | "retry"
  /** As `retry`, but the third time the run stops. */
  | "retry x3"
  /** Nobody knows whether the request was applied: it is made again, and counted. */
  | "unknown"
  /** As `unknown`, but the third time the run stops. */
  | "unknown x3"
  /** The upload is not visible yet; if that lasts, it is gone. */
  | "not yet"
  /** The upload was confirmed before: the answer's words say what became of it. */
  | "confirmed before"
  /** The same bytes have to be uploaded again. */
  | "gone"
  /** Records are refused; the answer may name them. */
  | "rejected"
  /** Less has to be sent, or asked for, at a time. */
  | "too large"
  /** The pull's query is wrong. */
  | "bad query"
  | "key refused"
  | "slow down"
  /** The run stops: no such answer was agreed on. */
  | "contract broken";

/** The meaning of statuses; a single status takes precedence over its class. */
type StatusOutcomes = {
  readonly [status: number]: StatusOutcome;
  readonly "2xx"?: StatusOutcome;
  readonly "5xx"?: StatusOutcome;
};

/** The APIs of the service, each below a base address and with credits of its own. */
export type ApiFamily = "ingestion" | "legacy" | "search";

/** One endpoint of the service, as the client knows it. */
export type ServiceEndpoint = {
  readonly method: Dispatcher.HttpMethod;
  /**
   * Below the family's base address; one for each kind of result of a search. Absent where the service gives the
   * whole address.
   */
  readonly path?: string | Readonly<Record<string, string>>;
  /** `storage` is an object store, which knows neither the API key nor credits. */
  readonly family: ApiFamily | "storage";
  /** Whether a request makes the service take records, so that repeating it may repeat them. */
  readonly isMutating: boolean;
  /** Whether a request takes records or spends credits, so that repeating it may do so twice. @default isMutating */
  readonly hasSideEffects?: boolean;
  /** Whether the answer is a page, which may be large and can be asked for in a smaller size. @default false */
  readonly isPaged?: boolean;
  /** Where a 422 names records: the path to the list that its indices count in. @default none */
  readonly recordsAt?: readonly string[];
  /** Statuses whose meaning differs from the default. */
  readonly outcomes: StatusOutcomes;
};

/**
 * Every endpoint of the service that is used. This table determines the client's methods, what a repeated request may
 * do twice and what an answer means.
 */
export const endpoints = {
  ping: {
    method: "GET",
    path: "/v1/ping",
    family: "legacy",
    isMutating: false,
    outcomes: { 409: "retry x3" },
  },
  generateUploadUrl: {
    method: "POST",
    path: "/ingestion/generate-upload-url",
    family: "ingestion",
    isMutating: false,
    outcomes: { 409: "retry x3" },
  },
  putFile: {
    method: "PUT",
    family: "storage",
    // An object that is not confirmed is never processed.
    isMutating: false,
    outcomes: {
      "2xx": "retry x3",
      401: "contract broken",
      403: "retry x3",
      404: "retry x3",
      409: "retry x3",
      410: "retry",
      413: "too large",
    },
  },
  confirmUpload: {
    method: "POST",
    path: "/ingestion/confirm-upload",
    family: "ingestion",
    isMutating: true,
    recordsAt: ["file"],
    outcomes: {
      400: "rejected",
      404: "not yet",
      409: "confirmed before",
      410: "gone",
      422: "rejected",
    },
  },
  uploadJson: {
    method: "POST",
    path: "/ingestion/upload-json",
    family: "ingestion",
    isMutating: true,
    recordsAt: ["body", "data"],
    outcomes: { 400: "rejected", 413: "too large", 422: "rejected" },
  },
  search: {
    method: "POST",
    path: {
      accounts: "/search/accounts",
      persons: "/search/persons",
      job_postings: "/enrichment/job-postings",
    },
    family: "search",
    isMutating: false,
    hasSideEffects: true,
    isPaged: true,
    outcomes: { 400: "bad query", 413: "too large", 422: "bad query" },
  },
} as const satisfies Record<string, ServiceEndpoint>;

/** The name of an endpoint, and of the client's method for it. */
export type EndpointName = keyof typeof endpoints;

/** The names of all endpoints, in the order of the table. */
export const endpointNames = Object.keys(endpoints).filter(
  (name): name is EndpointName => name in endpoints,
);

/** An endpoint with its defaults. */
export function endpointOf(
  name: EndpointName,
): ServiceEndpoint & Required<Pick<ServiceEndpoint, "hasSideEffects" | "isPaged">> {
  const endpoint: ServiceEndpoint = endpoints[name];
  return { hasSideEffects: endpoint.isMutating, isPaged: false, ...endpoint };
}

/** The meaning of a status in an endpoint's answer. */
export function outcomeOfStatus(name: EndpointName, status: number): StatusOutcome {
  const { isMutating, hasSideEffects, outcomes: own } = endpointOf(name);
  const lost = hasSideEffects ? "unknown" : "retry";
  const outcomes: StatusOutcomes = {
    200: "accepted",
    // Success is 200; another 2xx may still have applied the records.
    "2xx": isMutating ? "unknown x3" : "contract broken",
    401: "key refused",
    403: "key refused",
    408: lost,
    429: "slow down",
    501: "contract broken",
    "5xx": lost,
    ...own,
  };
  const ofClass = status < 300 ? outcomes["2xx"] : status >= 500 ? outcomes["5xx"] : undefined;
  return outcomes[status] ?? ofClass ?? "contract broken";
}
