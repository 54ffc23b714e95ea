import { z } from "zod";

import { apiCall } from "./api-call.ts";
import { readAccepted } from "./classify.ts";
import type { ApiContext } from "./context.ts";
import { endpoints } from "./endpoints.ts";

const pingAnswer = z.object({ status: z.literal("ok") });

/** Checks the legacy API and the key. */
export async function ping(
  context: ApiContext,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const call = apiCall(context, { endpoint: "ping", path: endpoints.ping.path, signal });
  readAccepted(call, await context.http.send(call), pingAnswer);
}
