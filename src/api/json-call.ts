import { endpoint } from "./address.ts";
import type { ApiContext } from "./context.ts";
import { leavesTraces } from "./exchange.ts";
import type { Step } from "./exchange.ts";
import type { Call } from "./http.ts";

/** A request that sends JSON under the API key (API document, section 4); its body is the caller's to add. */
export function jsonCall(
  { baseUrl, apiKey, timeouts }: ApiContext,
  asked: {
    readonly step: Step;
    readonly family: "ingestion" | "search";
    readonly path: string;
    readonly what: string;
    readonly signal: AbortSignal;
  },
): Call {
  const { step, family, path, what, signal } = asked;
  return {
    step,
    what,
    addressField: "api.base_url",
    records: 0,
    gate: { kind: "api", family },
    method: "POST",
    url: endpoint(baseUrl, path),
    headers: { "content-type": "application/json", "x-api-key": apiKey.reveal() },
    signal,
    deadlineMs: timeouts.requestMs,
    silenceMs: timeouts.headersMs,
    // Whether records were taken, or a page that is paid for, is worth a moment's wait; a fresh address is not.
    graceMs: leavesTraces(step) ? timeouts.cancelGraceMs : 0,
  };
}
