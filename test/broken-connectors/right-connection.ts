import { Client } from "undici";
import { z } from "zod";

import { secret } from "../../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../../connectors/contract/request.ts";
import { ConfigError, RetryLater, SluiceError, SourceAuthError } from "../../src/errors.ts";

/** See `SampleConfig`. */
export const sampleConfig = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("Where the server is."),
  token: secret().describe("Its bearer token, best as ${SAMPLE_TOKEN}."),
  table: z.string().min(1).default("rows").describe("What is read."),
  timeout_ms: z.int().min(1).default(5_000).describe("How long an answer may take."),
});
/** The right connector's configuration. */
export type SampleConfig = z.output<typeof sampleConfig>;

/** See `SamplePosition`. */
export const samplePosition = z.strictObject({ changed: z.string(), id: z.string() });
/** Represents every row up to this one, in the order of (changed, id); without an id, the rows that changed before. */
export type SamplePosition = z.output<typeof samplePosition>;

/** The server's answers. */
export const answers = {
  page: z.object({
    rows: z.array(z.object({ id: z.string(), changed: z.string(), text: z.unknown() })),
    next: samplePosition.optional(),
  }),
  clock: z.object({ now: z.string(), oldest: z.string().optional() }),
  server: z.object({ server: z.string() }),
  tables: z.object({ tables: z.array(z.object({ name: z.string(), key: z.array(z.string()) })) }),
  count: z.object({ rows: z.int() }),
  edges: z.object({ edges: z.array(samplePosition) }),
  patched: z.object({ found: z.array(z.boolean()) }),
};

/** One connection for one call, closed with it: nothing stays open, and nothing is shared. */
export class Connection {
  readonly #ask: ConnectorRequest<SampleConfig>;
  readonly #client: Client;

  constructor(ask: ConnectorRequest<SampleConfig>) {
    const { timeout_ms: ms } = ask.config;
    this.#ask = ask;
    this.#client = new Client(ask.config.url, {
      connect: { timeout: ms },
      headersTimeout: ms,
      bodyTimeout: ms,
    });
  }

  /**
   * @throws {RetryLater} no answer came, or only a part of one. @throws {SourceAuthError} @throws {ConfigError} as
   * `read` may.
   */
  async get<Out>(answer: z.ZodType<Out>, path: string, query: object = {}): Promise<Out> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, JSON.stringify(value));
    }
    return answer.parse(await this.#request("GET", `${path}?${parameters.toString()}`));
  }

  async patch(path: string, body: object): Promise<z.output<typeof answers.patched>> {
    return answers.patched.parse(await this.#request("PATCH", path, JSON.stringify(body)));
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }

  async #request(method: "GET" | "PATCH", path: string, body?: string): Promise<unknown> {
    const { config, signal } = this.#ask;
    const headers = { authorization: `Bearer ${config.token.reveal()}` };
    const what = `${method} ${path.replace(/\?.*/s, "")}`;
    let text: string;
    try {
      const answer = await this.#client.request({
        method,
        path,
        headers,
        signal,
        body: body ?? null,
      });
      text = await answer.body.text();
      if (answer.statusCode !== 200) {
        throw refusal(what, answer.statusCode, answer.headers["retry-after"]);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SluiceError) throw error;
      throw new RetryLater(`${what}: no whole answer came`, { cause: error });
    }
    return JSON.parse(text);
  }
}

function refusal(what: string, status: number, wait: unknown): SluiceError {
  const said = `${what}: ${status}`;
  if (status === 401 || status === 403) {
    return new SourceAuthError(said, {
      field: "token",
      hint: "Put a valid token in SAMPLE_TOKEN.",
    });
  }
  if (status === 404) return new ConfigError(said, { field: "table", hint: "Name a table of it." });
  return new RetryLater(said, wait === undefined ? {} : { afterMs: Number(wait) * 1_000 });
}

/** Makes one call over a connection of its own. */
export async function connected<Out>(
  ask: ConnectorRequest<SampleConfig>,
  use: (connection: Connection) => Promise<Out>,
): Promise<Out> {
  const connection = new Connection(ask);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
