import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { HarnessRow, PullHarness, Undo } from "../../../testing/harness.ts";

/** How the API is read, and its login. */
export type ApiStyle = {
  readonly pages: "cursor" | "number";
  /** Rows of a page. @default 10 */
  readonly pageRows?: number;
  /**
   * Whether it can be asked for changes, and whether the requested time is included. @default no: in the order of ids
   */
  readonly since?: "after" | "from";
  /** How clients log in. @default by token */
  readonly login?: "basic";
};

export const canaryToken = "canary-token-4b1d";

/** A JSON API of companies on a free port of 127.0.0.1, with faults on demand. */
export class ApiServer {
  readonly style: ApiStyle;
  /** Path and query of each request. */
  readonly seen: string[] = [];
  /** Called before each answer. */
  onRequest: () => void = () => undefined;
  /** Answers that replace the API's, one for each request. */
  answers: ((response: ServerResponse) => void)[] = [];
  readonly #rows = new Map<string, HarnessRow>();
  /** The rows in the order of their changes, until one is put in. */
  #ordered: readonly HarnessRow[] | undefined;
  #malformed: readonly string[] = [];
  #fault: "deny" | "stall" | { readonly retryAfter: string } | undefined;
  #breakAfter = Infinity;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(style: ApiStyle) {
    this.style = style;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get origin(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("listens on no port");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Input for the connector's schema. */
  get config(): Readonly<Record<string, unknown>> {
    const { pages, since, login, pageRows = 10 } = this.style;
    const logins = {
      basic: { user: "sluice", password: canaryToken },
      token: { token: canaryToken },
    };
    return {
      url: `${this.origin}/v1`,
      path: "/companies",
      rows: "/data",
      timeout: "1s",
      page_size: { parameter: "limit", rows: pageRows },
      ...logins[login ?? "token"],
      ...(pages === "cursor" && { cursor: { parameter: "cursor", pointer: "/meta/next" } }),
      ...(pages === "number" && { page_number: { parameter: "page" } }),
      ...(since && { changed_by: { column: "changed", parameter: "since" } }),
    };
  }

  put(rows: readonly HarnessRow[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
    this.#ordered = undefined;
  }

  clear(): void {
    this.#rows.clear();
    this.#ordered = undefined;
    this.#malformed = [];
    this.seen.length = 0;
  }

  /** Puts entries that are not rows after the first row. */
  spoil(entries: readonly string[]): void {
    this.#malformed = entries;
  }

  fault(fault: "deny" | "stall" | { readonly retryAfter: string }): Undo {
    this.#fault = fault;
    return async () => {
      this.#fault = undefined;
      this.#server.closeAllConnections();
    };
  }

  /** Cuts the connection within the answer that reaches this many rows. */
  breakAfter(rows: number): Undo {
    this.#breakAfter = rows;
    return async () => {
      this.#breakAfter = Infinity;
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.onRequest();
    const url = new URL(request.url ?? "", this.origin);
    this.seen.push(url.pathname + url.search);
    const ordered = this.answers.shift();
    if (ordered !== undefined) return ordered(response);
    if (this.#fault === "stall") return;
    if (this.#fault === "deny" || !this.#isKnown(request))
      return reply(response, 401, `{"key":"bad"}`);
    if (this.#fault !== undefined) {
      response.setHeader("Retry-After", this.#fault.retryAfter);
      return reply(response, 429, "{}");
    }
    if (url.pathname !== "/v1/companies") return reply(response, 404, "{}");
    const { entries, next } = this.#page(url);
    const meta = JSON.stringify({ next: next ?? null });
    const body = `{"data":[${entries.join(",")}],"meta":${meta}}`;
    this.#breakAfter -= entries.length;
    if (this.#breakAfter > 0) return reply(response, 200, body);
    this.#breakAfter = Infinity;
    response.writeHead(200, { "content-type": "application/json" });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const { login } = this.style;
    const basic = Buffer.from(`sluice:${canaryToken}`).toString("base64");
    const expected = login === "basic" ? `Basic ${basic}` : `Bearer ${canaryToken}`;
    return headers.authorization === expected;
  }

  #page(url: URL): { readonly entries: readonly string[]; readonly next: string | undefined } {
    const { pages, pageRows = 10 } = this.style;
    const all = this.#list(url.searchParams.get("since"));
    const number = Number(url.searchParams.get("page") ?? 1);
    const cursor = url.searchParams.get("cursor");
    const start =
      pages === "number"
        ? (number - 1) * pageRows
        : Number(cursor === null ? 0 : Buffer.from(cursor, "base64url").toString());
    const end = start + pageRows;
    const entries = all.slice(start, end).map((write) => write());
    if (pages === "number" || end >= all.length) return { entries, next: undefined };
    const next = Buffer.from(String(end)).toString("base64url");
    return { entries, next };
  }

  /** The API's list: the changes since a time, or everything. */
  #list(since: string | null): readonly (() => string)[] {
    const { since: how } = this.style;
    this.#ordered ??= inOrder([...this.#rows.values()], how);
    const wanted = changedSince(this.#ordered, since, how);
    return wanted.flatMap((row) => {
      const { id, text, changed } = row;
      const write = (): string =>
        `{"id":${id},"text":${JSON.stringify(text)},"changed":"${changed}"}`;
      const behind = row === this.#ordered?.[0] ? this.#malformed : [];
      return [write, ...behind.map((entry) => () => entry)];
    });
  }
}

function inOrder(rows: readonly HarnessRow[], how: ApiStyle["since"]): readonly HarnessRow[] {
  if (how === undefined) return rows;
  return rows.toSorted(
    (a, b) =>
      Number(a.changed > b.changed) - Number(a.changed < b.changed) || Number(a.id) - Number(b.id),
  );
}

function changedSince(
  ordered: readonly HarnessRow[],
  since: string | null,
  how: ApiStyle["since"],
): readonly HarnessRow[] {
  if (since === null) return ordered;
  const [whole = "", fraction = ""] = since.replace("Z", "").split(".");
  const time = `${whole}.${fraction.padEnd(6, "0")}Z`;
  return ordered.filter(({ changed }) => (how === "from" ? changed >= time : changed > time));
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}

/** The API as a harness of the kit. */
export function harnessOf(server: ApiServer): PullHarness {
  return {
    config: server.config,
    fill: async (rows) => server.put(rows),
    empty: async () => server.clear(),
    rowOf: ({ id, text, changed }) => {
      const isText = typeof text === "string" || text === null;
      // An id of many digits is an object whose text has the digits.
      return { id: String(id), text: isText ? text : "?", changed: String(changed) };
    },
    breakAt: async (rows) => server.breakAfter(rows),
    deny: async () => server.fault("deny"),
    throttle: async (afterMs) => server.fault({ retryAfter: String(Math.ceil(afterMs / 1_000)) }),
    stall: async () => server.fault("stall"),
    spoil: async () => {
      const entries = ["17", `"text"`, "null", "[1]", `{"id":5`.concat(`,"changed":"never"}`)];
      const malformed = server.style.since === undefined ? entries.slice(0, -1) : entries;
      server.spoil(malformed);
      return malformed.length;
    },
    close: async () => await server.close(),
  };
}
