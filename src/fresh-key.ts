import type { ApiClient } from "./api/client.ts";
import type { ApiConfig } from "./config/config.ts";
import { readSecretFile } from "./config/secret-file.ts";
import { ApiAuthError } from "./errors.ts";
import { Secret } from "./security/secret.ts";

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
 * A client whose key may be rotated while it runs: when the key is refused it is read anew, and the request made once more
 * if it is another one by then. `make` makes the client of one key.
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
  const renewed = async (refused: ApiClient): Promise<ApiClient | undefined> => {
    const fresh = await keys.read();
    // Of requests refused together, the first has made the new client.
    if (client === refused && fresh.reveal() !== key.reveal()) {
      [key, client] = [fresh, keys.make(fresh)];
      clients.push(client);
    }
    return client === refused ? undefined : client;
  };
  const ask = async <Answer>(request: (of: ApiClient) => Promise<Answer>): Promise<Answer> => {
    const asked = client;
    try {
      return await request(asked);
    } catch (error) {
      const again = error instanceof ApiAuthError ? await renewed(asked) : undefined;
      if (again === undefined) throw error;
      return await request(again);
    }
  };
  return {
    ping: async (input) => await ask(async (of) => await of.ping(input)),
    uploadJson: async (input) => await ask(async (of) => await of.uploadJson(input)),
    generateUploadUrl: async (input) => await ask(async (of) => await of.generateUploadUrl(input)),
    // The key stays at home (I5), and so does its refusal.
    putFile: async (input) => await client.putFile(input),
    confirmUpload: async (input) => await ask(async (of) => await of.confirmUpload(input)),
    searchPage: async (input) => await ask(async (of) => await of.searchPage(input)),
    close: async () => void (await Promise.all(clients.map(async (each) => await each.close()))),
  };
}
