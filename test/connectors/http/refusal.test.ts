import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { ConfigError, RetryLater, SourceAuthError } from "../../../src/errors.ts";
import { canaryToken, type ApiServer } from "./api-server.ts";
import { readRequestOf, errorOf, pagesOf, startApi } from "./support.ts";

/** The error of a read whose first answer is replaced. */
async function thrownFor(
  answer: (response: ServerResponse) => void,
  members: object = {},
): Promise<{ readonly error: unknown; readonly server: ApiServer }> {
  const server = await startApi({ pages: "cursor" });
  server.answers.push(answer);
  return { error: await errorOf(readRequestOf(server, members)), server };
}

function status(code: number, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(code, headers);
    response.end(`{"error":"canary-cell ${canaryToken}"}`);
  };
}

describe("an answer that is none", () => {
  it.each([
    [401, SourceAuthError],
    [403, SourceAuthError],
    [400, ConfigError],
    [404, ConfigError],
    [204, ConfigError],
    [408, RetryLater],
    [425, RetryLater],
    [429, RetryLater],
    [500, RetryLater],
    [503, RetryLater],
  ])(
    "knows what %i means, and tells nothing of the answer or of the secrets",
    async (code, kind) => {
      const { error, server } = await thrownFor(status(code), {
        query: { key: "canary-parameter" },
      });
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({
        message: expect.stringContaining(`GET ${server.origin}/v1/companies: ${code}`) as unknown,
      });
      expect(inspect(error, { depth: 9 })).not.toMatch(/canary/);
    },
  );

  it.each([
    [{ "Retry-After": "7" }, 7_000],
    [{ "Retry-After": "Sun, 29 Mar 2026 00:00:00 GMT" }, 1_000],
    [{ "Retry-After": "soon" }, undefined],
    [{}, undefined],
  ])("waits as long as %o says", async (headers, ms) => {
    for (const code of [429, 503]) {
      const { error } = await thrownFor(status(code, headers));
      expect(error).toMatchObject({ retryable: true, retryAfterMs: ms });
    }
  });

  it("waits until the date that is given", async () => {
    const until = new Date(Date.now() + 60_000).toUTCString();
    const { error } = await thrownFor(status(503, { "Retry-After": until }));
    const { retryAfterMs = 0 } = error instanceof RetryLater ? error : {};
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it.each([301, 302, 303, 307, 308])("follows no redirect: %i", async (code) => {
    const other = await startApi({ pages: "cursor" });
    const { error } = await thrownFor(status(code, { location: `${other.origin}/v1/companies` }));
    expect(error).toMatchObject({ code: "ConfigError", field: "path" });
    expect(other.seen).toEqual([]);
  });
});

describe("a login that no header can carry", () => {
  it.each([
    ["a line break", "canary-token\n"],
    ["a letter beyond Latin-1", "canary-token-ж"],
  ])("is refused before a request, and not tried again: %s", async (_, token) => {
    const server = await startApi({ pages: "cursor" });
    const error = await errorOf(readRequestOf(server, { token }));
    expect(error).toBeInstanceOf(SourceAuthError);
    expect(error).toMatchObject({
      message: `GET ${server.origin}/v1/companies: a header holds a character that no header can carry`,
      field: "token",
      hint: "Check token, or user and password: the value alone, no line break.",
    });
    expect(inspect(error, { depth: 9 })).not.toContain("canary");
    expect(server.seen).toEqual([]);
  });
});

describe("no whole answer", () => {
  it("tries again when the connection is refused or dies", async () => {
    const closed = await startApi({ pages: "cursor" });
    const ask = readRequestOf(closed);
    await closed.close();
    expect(await errorOf(ask)).toMatchObject({
      message: expect.stringContaining("ECONNREFUSED") as unknown,
      retryable: true,
    });
    const died = await thrownFor((response) => response.destroy());
    expect(died.error).toBeInstanceOf(RetryLater);
  });

  it("takes a page for people for a mistake", async () => {
    const { error } = await thrownFor((response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<p>canary-cell</p>");
    });
    expect(error).toMatchObject({ code: "ConfigError", field: "path" });
    expect(inspect(error)).not.toContain("canary");
  });

  it("takes no letters that are not UTF-8, and no byte order mark for a fault", async () => {
    const body = '{"data":[{"id":1,"text":"canary-é"}],"meta":{}}';
    const { error } = await thrownFor((response) => {
      response.writeHead(200, { "content-type": "application/json; charset=iso-8859-1" });
      response.end(body, "latin1");
    });
    expect(error).toMatchObject({
      code: "ConfigError",
      message: expect.stringContaining("/v1/companies: the answer is not UTF-8") as unknown,
      hint: "JSON is UTF-8: ask the API for it, as its documentation says.",
    });
    expect(inspect(error)).not.toContain("canary");
    expect((await thrownFor((response) => response.end(`\u{FEFF}${body}`))).error).toBeUndefined();
  });

  it("ends a request that drips on", async () => {
    let timer: NodeJS.Timeout | undefined;
    const { error } = await thrownFor(
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        timer = setInterval(() => response.write(" "), 20);
      },
      { timeout: "200ms" },
    );
    clearInterval(timer);
    expect(error).toMatchObject({
      message: expect.stringContaining("timeout") as unknown,
      hint: "Ask for fewer rows a page, or allow a request more time.",
      retryable: true,
    });
  });

  it("takes no answer beyond its limit", async () => {
    const piece = Buffer.alloc(1024 * 1024, " ");
    const { error } = await thrownFor(
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        let left = 33;
        const write = (): void => {
          while (left > 0 && !response.destroyed) {
            left -= 1;
            if (!response.write(piece)) return void response.once("drain", write);
          }
          response.end();
        };
        write();
      },
      { timeout: "30s" },
    );
    expect(error).toMatchObject({ hint: "Ask for fewer rows a page: an answer may have 32 MiB." });
  });
});

it("asks for answers that are not compressed, and says of one that is what it is", async () => {
  const server = await startApi({ pages: "cursor" });
  const body = '{"data":[{"id":1}]}';
  server.answers.push((response) => {
    const asked = response.req.headers["accept-encoding"];
    response.end(asked === "identity" ? body : gzipSync(body));
  });
  expect(await pagesOf(readRequestOf(server))).toMatchObject([{ rows: [{ id: 1 }] }]);
  server.answers.push((response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(body));
  });
  expect(await errorOf(readRequestOf(server))).toMatchObject({
    message: `GET ${server.origin}/v1/companies: the answer is compressed`,
    hint: "Have the API, or the proxy before it, send it as it is, as it is asked to.",
  });
});

it("takes neither of two members of one name, nor of two cursors", async () => {
  const server = await startApi({ pages: "cursor" });
  server.answers.push((response) =>
    response.end('{"data":[{"id":1,"id":2,"name":"x"}],"meta":{"next":null}}'),
  );
  const [page] = await pagesOf(readRequestOf(server));
  expect(page?.rows).toMatchObject([{ id: { code: "duplicate_json_key" }, name: "x" }]);
  expect(page?.where(0)).toBe("/companies:#1");
  server.answers.push((response) =>
    response.end('{"data":[{"id":1}],"meta":{"next":"p2","next":null}}'),
  );
  expect(await errorOf(readRequestOf(server))).toMatchObject({ field: "cursor" });
});
