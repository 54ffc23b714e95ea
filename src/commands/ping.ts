import { createApiClient } from "../api/client.ts";
import type { Config } from "../config/config.ts";
import { ApiUnavailableError } from "../errors.ts";
import { createStorePace } from "../pace.ts";
import type { StateStore } from "../state/state-store.ts";
import type { ServiceAddresses } from "./services.ts";

/**
 * Asks the service whether it is there and takes the key, within the rate budget.
 * @throws {ApiAuthError} the key is refused. @throws {ApiUnavailableError} nothing answers.
 */
export async function pingService(
  config: Config,
  addresses: ServiceAddresses,
  state: StateStore,
): Promise<void> {
  const { apiKey, requestsPerSecond, creditsRetryMs, allowInsecureHosts } = config.api;
  const pace = createStorePace({ state, apiKey, requestsPerSecond, creditsRetryMs });
  const api = createApiClient({ ...addresses, apiKey, allowInsecureHosts, pace });
  try {
    await api.ping({ signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    if (!(error instanceof ApiUnavailableError)) throw error;
    const { origin } = addresses.legacyBaseUrl;
    throw new ApiUnavailableError(`the service at ${origin} cannot be reached: ${error.message}`, {
      cause: error,
      hint: error.hint ?? "check api.legacy_base_url, and whether this machine may reach it",
    });
  } finally {
    await api.close();
  }
}
