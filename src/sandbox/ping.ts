import { legacyRequestsPerMinute } from "../limits.ts";
import { type SandboxAnswer, json, message } from "./http/answers.ts";
import { type ApiKeys, basicKey, RequestsPerMinute } from "./http/api-keys.ts";
import type { StepHandler } from "./http/exchange.ts";

/**
 * GET /v1/ping of the legacy API (docs/facts/service.md#ping), 600 times a minute for each key
 * (docs/facts/service.md#errors).
 */
export function pingStep(keys: ApiKeys): StepHandler {
  const window = new RequestsPerMinute(legacyRequestsPerMinute);
  return async ({ request }) => {
    const owner = keys.owner(basicKey(request.headers.authorization));
    const answer = owner === undefined ? unauthorized : pong(window.isWithin(owner, Date.now()));
    return () => ({ answer });
  };
}

const unauthorized = message(401, "Authorization is missing or not valid");

function pong(isWithin: boolean): SandboxAnswer {
  if (isWithin) return json(200, { status: "ok" });
  return json(429, { message: "Too many requests", details: "Limit: 600 requests per minute" });
}
