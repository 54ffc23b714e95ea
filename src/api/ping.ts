import { z } from "zod";

import { endpoint } from "./address.ts";
import { readAccepted } from "./classify.ts";
import type { ApiContext } from "./context.ts";
import { basicCredentials } from "./without-key.ts";

const pingAnswer = z.object({ status: z.literal("ok") });

/** GET /v1/ping with HTTP Basic, the key as user name and no password (API document, sections 4.1 and 5). */
export async function ping(
  { http, legacyBaseUrl, apiKey, timeouts }: ApiContext,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const call = {
    step: "ping",
    what: "GET /v1/ping",
    addressField: "api.legacy_base_url",
    records: 0,
    gate: { kind: "api", family: "legacy" },
    method: "GET",
    url: endpoint(legacyBaseUrl, "/v1/ping"),
    headers: { authorization: `Basic ${basicCredentials(apiKey)}` },
    signal,
    deadlineMs: timeouts.requestMs,
    silenceMs: timeouts.headersMs,
    graceMs: 0,
  } as const;
  readAccepted(call, await http.send(call), pingAnswer);
}
