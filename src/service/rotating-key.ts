import { clientThrough, type ApiClient, type Requests } from "../api/client.ts";
import type { ApiConfig } from "../config/config.ts";
import { readSecretFile } from "../config/document/secret-file.ts";
import { ApiAuthError } from "../errors.ts";
import { Secret } from "../security/secret.ts";

/** The key as it is now: the one of its file, or the one of the configuration where there is none that can be read. */
export async function currentKey({
  apiKey,
  apiKeyFile,
}: Pick<ApiConfig, "apiKey" | "apiKeyFile">): Promise<Secret> {
  if (apiKeyFile === undefined) return apiKey;
  const read = await readSecretFile({ path: apiKeyFile, name: "api.api_key_file" });
  return "value" in read ? new Secret(read.value) : apiKey;
}

/**
 * A client whose key may be rotated while it runs: when the key is refused it is read anew, and the request
 * made once more if it is another one by then. `make` makes the client of one key.
 */
export function withFreshKey(keys: {
  readonly first: Secret;
  readonly read: () => Promise<Secret>;
  readonly make: (apiKey: Secret) => ApiClient;
}): ApiClient {
  let key = keys.first;
  let client = keys.make(key);
  const clients = [client];

  /** The client of the key as it is now, or undefined when that is the one refused. */
  const renewed = async (refused: Requests): Promise<Requests | undefined> => {
    const fresh = await keys.read();
    // Of requests refused together, the first has made the new client.
    if (client === refused && fresh.reveal() !== key.reveal()) {
      [key, client] = [fresh, keys.make(fresh)];
      clients.push(client);
    }
    return client === refused ? undefined : client;
  };
  return clientThrough(
    // A PUT goes without the key (I5), so that its refusal is never one of the key.
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
