import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { json } from "node:stream/consumers";

import { z } from "zod";

/** A row as the server holds it: in a malformed row, `text` is not a string. */
export type SampleRow = { readonly id: string; readonly text: unknown; readonly changed: string };

/** A place in the order of (changed, id). */
const place = z.object({ changed: z.string(), id: z.string() });
type Place = z.output<typeof place>;

const placeText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(place)
  .optional();
const question = z.object({
  after: placeText,
  upto: placeText,
  limit: z.coerce.number().default(Infinity),
  offset: z.coerce.number().default(0),
  order: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.enum(["changed", "id"]))
    .default("changed"),
  parts: z.coerce.number().default(1),
  ids: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.string()))
    .optional(),
});
const patches = z.array(z.object({ id: z.string(), text: z.string().nullable() }));

function order(one: Place, other: Place): number {
  if (one.changed !== other.changed) return one.changed < other.changed ? -1 : 1;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

/**
 * A small HTTP API over one table of rows, which treats its clients as real ones do. It answers in pages in the order
 * of (changed, id): `GET /rows?after=&upto=&limit=` or `?ids=`, with `offset=` or `order=id` for clients that trust
 * them, `GET /rows/count`, `GET /rows/edges?parts=`, `PATCH /rows`, `GET /tables`, `GET /clock`, `GET /server`.
 */
export class SampleServer {
  /** Its bearer token. */
  readonly token = "sample-token-5b1f0c9d4e";
  /** Its identity. */
  readonly server = randomUUID();
  isDenying = false;
  isStalling = false;
  /** The seconds that its 429 asks to wait; undefined if it does not throttle. */
  throttledSeconds: number | undefined;
  /** Rows that may still be returned before the connection dies, once; undefined if it does not die. */
  rowsUntilBreak: number | undefined;
  readonly #http: HttpServer = createServer((request, response) => {
    void this.#answer(request, response).catch(() => response.destroy());
  });
  readonly #rows = new Map<string, SampleRow>();
  /** Rows of transactions that are still open. */
  readonly #open = new Set<SampleRow>();
  #sorted: readonly SampleRow[] | undefined;

  /** A server on a free port; `close` ends it. */
  static async start(): Promise<SampleServer> {
    const server = new SampleServer();
    server.#http.listen(0, "127.0.0.1");
    await once(server.#http, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${z.object({ port: z.int() }).parse(this.#http.address()).port}`;
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#http.close();
    await once(this.#http, "close");
  }

  /** Ends every connection, including those with a request that waits for its answer. */
  hangUp(): void {
    this.#http.closeAllConnections();
  }

  put(rows: readonly SampleRow[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
    this.#sorted = undefined;
  }

  clear(): void {
    this.#rows.clear();
    this.#open.clear();
    this.#sorted = undefined;
  }

  row(id: string): SampleRow | undefined {
    return this.#rows.get(id);
  }

  /** Its rows in the order in which it returns them. */
  rows(): readonly SampleRow[] {
    this.#sorted ??= [...this.#rows.values()].toSorted(order);
    return this.#sorted;
  }

  /** Holds a row back until the returned function commits it. */
  begin(row: SampleRow): () => void {
    this.#open.add(row);
    return () => {
      this.#open.delete(row);
      this.put([row]);
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const patch: unknown = request.method === "PATCH" ? await json(request) : undefined;
    if (this.isStalling) return;
    const isKnown = request.headers.authorization === `Bearer ${this.token}`;
    if (this.isDenying || !isKnown) return send(response, 401, {});
    if (this.throttledSeconds !== undefined) {
      response.setHeader("retry-after", this.throttledSeconds);
      return send(response, 429, {});
    }
    if (patch !== undefined) return send(response, 200, this.#patch(patches.parse(patch)));
    const answer = this.#found(url);
    const handed = url.pathname === "/rows" ? this.#handOut(answer) : true;
    if (handed) return send(response, answer === undefined ? 404 : 200, answer ?? {});
    // The head and half of the body arrive, and then nothing more.
    const bytes = Buffer.from(JSON.stringify(answer));
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
  }

  /** The answer to a `GET`; undefined for an unknown path. */
  #found(url: URL): object | undefined {
    const asked = question.parse(Object.fromEntries(url.searchParams));
    const { after, upto, limit, parts, ids } = asked;
    switch (url.pathname) {
      case "/tables":
        return { tables: [{ name: "rows", columns: ["id", "text", "changed"], key: ["id"] }] };
      case "/clock":
        return this.#clock();
      case "/server":
        return { server: this.server };
      case "/rows": {
        if (ids !== undefined) return { rows: ids.flatMap((id) => this.#rows.get(id) ?? []) };
        const all = asked.order === "id" ? this.#behind(after?.id) : this.#between(after, upto);
        const rows = all.slice(asked.offset, asked.offset + limit);
        const last = rows.at(-1);
        return { rows, next: last && { changed: last.changed, id: last.id } };
      }
      case "/rows/count":
        return { rows: this.#between(after, upto).length };
      case "/rows/edges": {
        const rows = this.#between(after, upto);
        const at = Array.from({ length: parts - 1 }, (_, index) =>
          Math.floor((rows.length * (index + 1)) / parts),
        );
        const lasts = [...new Set(at)].flatMap((index) => rows[index - 1] ?? []);
        return { edges: lasts.map(({ changed, id }) => ({ changed, id })) };
      }
      default:
        return undefined;
    }
  }

  #between(after: Place | undefined, upto: Place | undefined): readonly SampleRow[] {
    return this.rows().filter(
      (row) =>
        (after === undefined || order(row, after) > 0) &&
        (upto === undefined || order(row, upto) <= 0),
    );
  }

  /** In the order of ids, regardless of their changes. */
  #behind(id = ""): readonly SampleRow[] {
    const rows = this.rows().filter((row) => row.id > id);
    return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Its clock, and the start of the oldest open transaction: no later than the stamps of its rows. */
  #clock(): object {
    const now = new Date().toISOString().replace("Z", "000Z");
    const [oldest] = [...this.#open].map(({ changed }) => changed).toSorted();
    return { now, oldest: oldest !== undefined && oldest > now ? now : oldest };
  }

  /** Stamps the rows that it changes; true for each existing row. */
  #patch(given: z.output<typeof patches>): object {
    const changed = new Date().toISOString().replace("Z", "000Z");
    const found = given.map(({ id, text }) => {
      const isThere = this.#rows.has(id);
      if (isThere) this.put([{ id, text, changed }]);
      return isThere;
    });
    return { found };
  }

  /** Counts the rows returned; false if the connection should die in the middle of the answer. */
  #handOut(answer: object | undefined): boolean {
    if (this.rowsUntilBreak === undefined) return true;
    const { rows } = z.object({ rows: z.array(z.unknown()) }).parse(answer);
    this.rowsUntilBreak -= rows.length;
    if (this.rowsUntilBreak >= 0) return true;
    this.rowsUntilBreak = undefined;
    return false;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
  });
  response.end(bytes);
}
