import type { ApiContext } from "./context.ts";
import { endpointOf, endpoints } from "./endpoints.ts";
import type { ApiFamily, EndpointName } from "./endpoints.ts";
import { endpointUrl } from "./http/address.ts";
import type { Call } from "./http/http.ts";
import { basicCredentials } from "./without-key.ts";

/** The endpoints that take the API key. */
type KeyedEndpoint = {
  [Name in EndpointName]: (typeof endpoints)[Name]["family"] extends ApiFamily ? Name : never;
}[EndpointName];

/** The inputs of a request under the API key. */
type Asked = Pick<Call, "beforeSend" | "signal"> & {
  readonly endpoint: KeyedEndpoint;
  /** Below the base address. */
  readonly path: string;
  /** The stream that the request is about, for messages. */
  readonly stream?: string;
  readonly body?: Uint8Array;
  /** Records that the request is about. @default 0 */
  readonly records?: number;
};

/** A request under the API key. */
export function apiCall(
  { baseUrl, legacyBaseUrl, apiKey, timeouts }: ApiContext,
  { endpoint, path, stream, records = 0, ...asked }: Asked,
): Call {
  const { method, family } = endpoints[endpoint];
  const what = `${method} ${path}${stream === undefined ? "" : ` (${stream})`}`;
  const isLegacy = family === "legacy";
  return {
    ...asked,
    endpoint,
    what,
    addressField: isLegacy ? "api.legacy_base_url" : "api.base_url",
    records,
    scope: { kind: "api", family },
    url: endpointUrl(isLegacy ? legacyBaseUrl : baseUrl, path),
    headers: {
      // Answers are not decompressed, and without this header a server may compress.
      "accept-encoding": "identity",
      // The legacy API takes the key as a user name without a password.
      ...(isLegacy
        ? { authorization: `Basic ${basicCredentials(apiKey)}` }
        : { "content-type": "application/json", "x-api-key": apiKey.reveal() }),
    },
    deadlineMs: timeouts.requestMs,
    silenceMs: timeouts.headersMs,
    // A moment's wait is worthwhile to learn whether records were taken, or to get a page that is paid for, but not to
    // get a fresh address.
    graceMs: endpointOf(endpoint).hasSideEffects ? timeouts.cancelGraceMs : 0,
  };
}
