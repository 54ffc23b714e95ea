import { createApiClient, type ApiClient } from "../api/client.ts";
import type { ProxySettings } from "../api/http/http.ts";
import type { Config } from "../config/config.ts";
import type { Effect } from "../effect.ts";
import type { Secret } from "../security/secret.ts";
import type { StateStore } from "../state/state-store.ts";
import { StoreRateLimiter } from "./rate-limiter.ts";
import { currentKey, withFreshKey } from "./rotating-key.ts";

/** Addresses of the service; those of the sandbox if the configuration says `sandbox`. */
export type ServiceAddresses = { readonly baseUrl: URL; readonly legacyBaseUrl: URL };

/**
 * The client of the configured service, within the rate limits that the store keeps for all processes.
 * @throws {ConfigError} an address or the key must not be used.
 */
export function createServiceClient(
  { api }: Pick<Config, "api">,
  how: {
    readonly addresses: ServiceAddresses;
    readonly state: StateStore;
    readonly proxy: ProxySettings | undefined;
    /** Wraps each request, under the name of its endpoint. @default runs it */
    readonly effect?: Effect | undefined;
  },
): ApiClient {
  const { apiKeySource, requestsPerSecond, creditsRetryAfterMs, allowInsecureHosts } = api;
  const { addresses, proxy, state, effect } = how;
  const make = (apiKey: Secret): ApiClient => {
    const rateLimiter = new StoreRateLimiter({
      state,
      apiKey,
      requestsPerSecond,
      creditsRetryAfterMs,
    });
    const client = { ...addresses, apiKey, apiKeySource, allowInsecureHosts, proxy };
    return createApiClient({ ...client, rateLimiter, effect });
  };
  return withFreshKey({ first: api.apiKey, read: async () => await currentKey(api), make });
}
