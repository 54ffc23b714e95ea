import { clientThrough, type ApiClient, type Requests } from "../api/client.ts";
import type { ApiConfig } from "../config/config.ts";
import { readSecretFile } from "../config/document/secret-file.ts";
import { ApiAuthError } from "../errors.ts";
import { Secret } from "../security/secret.ts";

/** The current key: from its file, or from the configuration if there is no readable file. */
export async function currentKey({
  apiKey,
  apiKeyFile,
}: Pick<ApiConfig, "apiKey" | "apiKeyFile">): Promise<Secret> {
  if (apiKeyFile === undefined) return apiKey;
  const read = await readSecretFile({ path: apiKeyFile, name: "api.api_key_file" });
  return "value" in read ? new Secret(read.value) : apiKey;
}

/**
 * A client whose key may be rotated while it runs: if the key is refused it is read again, and the request is
 * repeated once if the key has changed. `make` makes the client of one key.
 */
export function withFreshKey(keys: {
  readonly first: Secret;
  readonly read: () => Promise<Secret>;
  readonly make: (apiKey: Secret) => ApiClient;
}): ApiClient {
  let key = keys.first;
  let client = keys.make(key);
  const clients = [client];

  /** The client of the current key, or undefined if that is the refused one. */
  const renewed = async (refused: Requests): Promise<Requests | undefined> => {
    const fresh = await keys.read();
    // If several requests are refused together, the first has made the new client.
    if (client === refused && fresh.reveal() !== key.reveal()) {
      [key, client] = [fresh, keys.make(fresh)];
      clients.push(client);
    }
    return client === refused ? undefined : client;
  };
  return clientThrough(
    // A PUT goes without the key (I5), so its refusal is never about the key.
    async (name, input) => {
      const asked: Requests = client;
      try {
        return await asked[name](input);
      } catch (error) {
        const again = error instanceof ApiAuthError ? await renewed(asked) : undefined;
        if (again === undefined) throw error;
        return await again[name](input);
      }
    },
    async () => void (await Promise.all(clients.map(async (each) => await each.close()))),
  );
}
