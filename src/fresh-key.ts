import type { ApiClient } from "./api/client.ts";
import type { ApiConfig } from "./config/config.ts";
import { readSecretFile } from "./config/secret-file.ts";
import { ApiAuthError } from "./errors.ts";
import { Secret } from "./secret.ts";

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
  const request =
    <Input, Result>(method: (of: ApiClient, input: Input) => Promise<Result>) =>
    async (input: Input): Promise<Result> => {
      const asked = client;
      try {
        return await method(asked, input);
      } catch (error) {
        const again = error instanceof ApiAuthError ? await renewed(asked) : undefined;
        if (again === undefined) throw error;
        return await method(again, input);
      }
    };
  return {
    ping: request<Parameters<ApiClient["ping"]>[0], Awaited<ReturnType<ApiClient["ping"]>>>(
      async (of, input) => await of.ping(input),
    ),
    uploadJson: request<
      Parameters<ApiClient["uploadJson"]>[0],
      Awaited<ReturnType<ApiClient["uploadJson"]>>
    >(async (of, input) => await of.uploadJson(input)),
    generateUploadUrl: request<
      Parameters<ApiClient["generateUploadUrl"]>[0],
      Awaited<ReturnType<ApiClient["generateUploadUrl"]>>
    >(async (of, input) => await of.generateUploadUrl(input)),
    // The key stays at home (I5), and so does its refusal.
    putFile: async (input) => await client.putFile(input),
    confirmUpload: request<
      Parameters<ApiClient["confirmUpload"]>[0],
      Awaited<ReturnType<ApiClient["confirmUpload"]>>
    >(async (of, input) => await of.confirmUpload(input)),
    close: async () => void (await Promise.all(clients.map(async (each) => await each.close()))),
  };
}
