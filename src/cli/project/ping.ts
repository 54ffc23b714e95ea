import type { Config } from "../../config/config.ts";
import { ApiUnavailableError, RateLimitedError } from "../../errors.ts";
import { createServiceClient, type ServiceAddresses } from "../../service/client.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { Context } from "../output/context.ts";

/**
 * Asks the service whether it is there and accepts the key, within the rate limits.
 * @throws {ApiAuthError} the key is refused. @throws {ApiUnavailableError} nothing answers.
 */
export async function pingService(
  config: Config,
  how: {
    readonly addresses: ServiceAddresses;
    readonly state: StateStore;
    readonly context: Context;
  },
): Promise<void> {
  const { addresses, state } = how;
  const { proxy } = how.context.environment;
  const api = createServiceClient(config, { addresses, state, proxy });
  try {
    await api.ping({ signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    const isOutage = error instanceof RateLimitedError && error.isOutage;
    if (!(error instanceof ApiUnavailableError) && !isOutage) throw error;
    const { origin } = addresses.legacyBaseUrl;
    throw new ApiUnavailableError(`the service at ${origin} cannot be reached: ${error.message}`, {
      cause: error,
      hint: error.hint ?? "check api.legacy_base_url, and whether this machine may reach it",
    });
  } finally {
    await api.close();
  }
}
