import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { http } from "../../../connectors/http/index.ts";
import { ConfigError } from "../../../src/errors.ts";
import { LongNumber } from "../../../src/mapping/refusal.ts";
import { readRequestOf, errorOf, idsOf, pagesOf, rowsOf, startApi } from "./support.ts";

/** An answer with rows whose id is their change. */
function changesThen(changes: readonly number[], next: number | null) {
  return (response: ServerResponse): void => {
    const data = changes.map((changed) => ({ id: changed, changed }));
    response.end(JSON.stringify({ data, meta: { next } }));
  };
}

describe("reading all pages", () => {
  it.each(["cursor", "number"] as const)(
    "reads every page by %s, and continues inside of one",
    async (pages) => {
      const server = await startApi({ pages, pageRows: 5 });
      server.put(rowsOf(12));
      const ask = readRequestOf(server);
      const whole = await pagesOf(ask, { pageRowsMax: 3 });
      expect(whole.map(({ rows }) => rows.length)).toEqual([3, 2, 3, 2, 2]);
      for (const [index, { position }] of whole.entries()) {
        const rest = idsOf(await pagesOf(ask, { from: position, pageRowsMax: 2 }));
        expect([...idsOf(whole.slice(0, index + 1)), ...rest]).toEqual(idsOf(whole));
        expect(idsOf(await pagesOf(ask, { to: position }))).toEqual(
          idsOf(whole.slice(0, index + 1)),
        );
      }
    },
  );

  it("asks with page size and parameters, for no more than the limit needs", async () => {
    const server = await startApi({ pages: "number", pageRows: 5 });
    server.put(rowsOf(12));
    const ask = readRequestOf(server, { query: { order: "id", active: "true" } });
    expect(idsOf(await pagesOf(ask, { limit: 7 }))).toHaveLength(10);
    expect(server.seen).toEqual([
      "/v1/companies?order=id&active=true&limit=5&page=1",
      "/v1/companies?order=id&active=true&limit=5&page=2",
    ]);
  });

  it("reads a list that is the whole answer, with its digits", async () => {
    const server = await startApi({ pages: "cursor" });
    const row =
      '{"id":9007199254740993,"share":0.12345678901234567,"lat":48.85661400000001,"count":5}';
    server.answers.push((response) => response.end(`[${row},[1e400]]`));
    const ask = readRequestOf(server, { rows: undefined, cursor: undefined });
    const [page] = await pagesOf(ask);
    const [id, share] = [new LongNumber("9007199254740993"), new LongNumber("0.12345678901234567")];
    // A double holds the 16 digits of `lat`.
    expect(page?.rows).toEqual([{ id, share, lat: 48.856_614_000_000_01, count: 5 }]);
    expect(page?.where(0)).toBe("/companies:9007199254740993");
    expect(page?.rejects).toEqual([
      {
        where: "/companies:#2",
        code: "no_row",
        reason: "it is not an object",
        row: '["1e400"]',
        rowsBefore: 1,
      },
    ]);
  });

  it("follows a cursor whose pointer leads through a list", async () => {
    const server = await startApi({ pages: "cursor" });
    for (const links of ['[{"rel":"self"},{"next":"p2"}]', '[{"rel":"self"}]']) {
      server.answers.push((response) => response.end(`{"data":[{"id":1}],"links":${links}}`));
    }
    const cursor = { parameter: "cursor", pointer: "/links/1/next" };
    expect(idsOf(await pagesOf(readRequestOf(server, { cursor })))).toEqual(["1", "1"]);
    expect(server.seen.at(-1)).toContain("cursor=p2");
  });

  it.each(['{"after":"canary-cursor"}', '["canary-cursor"]', "true"])(
    "does not take a page for the last whose cursor is %s",
    async (next) => {
      const server = await startApi({ pages: "cursor" });
      server.answers.push((response) =>
        response.end(`{"data":[{"id":1}],"meta":{"next":${next}}}`),
      );
      const error = await errorOf(readRequestOf(server));
      expect(error).toMatchObject({
        message: "the name of the next page is neither a text nor a number",
        field: "cursor",
      });
      expect(String(error)).not.toContain("canary");
    },
  );

  it.each(["null", "false", "0", '""', "[]", "{}"])(
    "takes a page for the last whose cursor is %s",
    async (next) => {
      const server = await startApi({ pages: "cursor" });
      server.answers.push((response) =>
        response.end(`{"data":[{"id":1}],"meta":{"next":${next}}}`),
      );
      expect(idsOf(await pagesOf(readRequestOf(server)))).toEqual(["1"]);
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each([
    ["cursor", '{"data":[{"id":1}],"meta":{"next":"same"}}', "cursor"],
    ["number", '{"data":[{"id":1}]}', "page_number"],
  ] as const)("notices that pages by %s go round in a circle", async (pages, body, field) => {
    const server = await startApi({ pages });
    for (let page = 0; page < 9; page += 1) server.answers.push((response) => response.end(body));
    const error = await errorOf(readRequestOf(server));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      message: expect.stringContaining("again and again") as unknown,
      field,
    });
    expect(server.seen).toHaveLength(2);
  });
});

describe("reading what changed", () => {
  it("asks from the value before the last one, and leaves out what it has", async () => {
    const server = await startApi({ pages: "number", since: "after", pageRows: 4 });
    server.put(rowsOf(6, (id) => Math.ceil(id / 2)));
    const ask = readRequestOf(server);
    const [first] = await pagesOf(ask, { pageRowsMax: 3 });
    expect(first?.position).toMatchObject({
      at: "2026-03-29T00:59:02.000000Z",
      since: "2026-03-29T00:59:01.000000Z",
      seen: [expect.stringMatching(/3$/)],
    });
    server.seen.length = 0;
    expect(idsOf(await pagesOf(ask, { from: first?.position }))).toEqual(["4", "5", "6"]);
    expect(server.seen[0]).toContain("since=2026-03-29T00%3A59%3A01.000000Z");
  });

  it.each(["cursor", "number"] as const)(
    "loses no row when another leaves its place between two pages by %s",
    async (pages) => {
      for (const since of ["from", "after"] as const) {
        const server = await startApi({ pages, since, pageRows: 4 });
        server.put(rowsOf(20));
        let requests = 0;
        server.onRequest = () => {
          requests += 1;
          // Row 1 first, then one on a page that was already read.
          const moved = { 2: "1", 4: "5", 6: "9" }[requests];
          const row = rowsOf(20).find(({ id }) => id === moved);
          if (row !== undefined) server.put([{ ...row, changed: "2026-03-29T00:59:30.000000Z" }]);
        };
        const ids = new Set(idsOf(await pagesOf(readRequestOf(server))));
        expect(ids.size).toBe(20);
      }
    },
  );

  it.each(["from", "after"] as const)(
    "asks once for each page of what changed %s",
    async (since) => {
      const server = await startApi({ pages: "cursor", since, pageRows: 10 });
      server.put(rowsOf(40));
      expect(idsOf(await pagesOf(readRequestOf(server)))).toHaveLength(40);
      // Rows that were read before take a place or two of each page.
      expect(server.seen.length).toBeLessThanOrEqual(6);
    },
  );

  it("refuses rows that do not come in the order of the column", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const data = [5, 4].map((changed) => ({ id: changed, changed }));
    server.answers.push((response) => response.end(JSON.stringify({ data })));
    expect(await errorOf(readRequestOf(server))).toMatchObject({
      message: "rows unsorted",
      field: "query",
    });
  });

  it("refuses a page that begins before the end of the page before, when it comes again", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const [first, second] = [changesThen([1, 5], 2), changesThen([2, 6], null)];
    server.answers.push(first, first, second, first, second);
    expect(await errorOf(readRequestOf(server))).toMatchObject({
      message: "rows unsorted",
      field: "query",
    });
    // Two late rows move others to the next page once.
    server.answers.push(
      first,
      first,
      second,
      first,
      changesThen([5, 6], null),
      changesThen([5, 6], null),
    );
    expect(idsOf(await pagesOf(readRequestOf(server)))).toEqual(["1", "5", "6"]);
  });

  it("reads a row again that changed again at its time", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const list = (...rows: readonly (readonly [id: number, changed: string, text: string])[]) =>
      server.answers.push((response) =>
        response.end(
          JSON.stringify({ data: rows.map(([id, changed, text]) => ({ id, changed, text })) }),
        ),
      );
    const textsOf = async (from?: unknown) => {
      const pages = await pagesOf(readRequestOf(server), { from });
      return { texts: pages.flatMap(({ rows }) => rows.map(({ text }) => text)), pages };
    };
    list([1, "2026-11-21", "a"], [2, "2026-11-22", "before noon"], [3, "2026-11-22", "b"]);
    list();
    const first = await textsOf();
    expect(first.texts).toEqual(["a", "before noon", "b"]);
    const noon = [3, "2026-11-22", "b"] as const;
    list([2, "2026-11-22", "after noon"], noon);
    const second = await textsOf(first.pages.at(-1)?.position);
    expect(second.texts).toEqual(["after noon"]);
    // Also when it changes back, and in the run that read it.
    list([2, "2026-11-22", "before noon"], noon, [4, "2026-11-23", "c"]);
    list([2, "2026-11-22", "after noon"], noon, [4, "2026-11-23", "c"]);
    const third = await textsOf(second.pages.at(-1)?.position);
    expect(third.texts).toEqual(["before noon", "c"]);
  });

  it("takes the last of two entries of one row and time", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const versions = ["old", "new"].map((text) => ({ id: 1, changed: 7, text }));
    for (let answer = 0; answer < 2; answer += 1)
      server.answers.push((response) => response.end(JSON.stringify({ data: versions })));
    const pages = await pagesOf(readRequestOf(server));
    expect(pages.flatMap(({ rows }) => rows.map(({ text }) => text))).toEqual(["old", "new"]);
    expect(await pagesOf(readRequestOf(server), { from: pages.at(-1)?.position })).toEqual([]);
  });

  it("begins anew with the position of another reading", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    server.put(rowsOf(2));
    const from = (await pagesOf(readRequestOf(server))).at(-1)?.position;
    expect(idsOf(await pagesOf(readRequestOf(server), { from }))).toEqual([]);
    const changed_by = { column: "created", parameter: "since" };
    server.answers.push((response) => response.end('{"data":[{"id":1,"created":"2020-01-01"}]}'));
    expect(idsOf(await pagesOf(readRequestOf(server, { changed_by }), { from }))).toEqual(["1"]);
    expect(server.seen.at(-1)).not.toContain("since");
  });

  it("begins anew when another filter or another list of the answer is read", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    server.put(rowsOf(2));
    const active = { order: "changed", active: "canary-filter" };
    const first = (await pagesOf(readRequestOf(server, { query: active }))).at(-1)?.position;
    const idsAfter = async (members: object, from: unknown) =>
      idsOf(await pagesOf(readRequestOf(server, members), { from }));
    const inOtherOrder = { active: "canary-filter", order: "changed" };
    expect(await idsAfter({ query: inOtherOrder }, first)).toEqual([]);
    expect(await idsAfter({ query: { order: "changed" } }, first)).toEqual(["1", "2"]);
    server.answers.push((response) => response.end('{"more":[{"id":9,"changed":"2020-01-01"}]}'));
    server.answers.push((response) => response.end('{"more":[]}'));
    expect(await idsAfter({ query: active, rows: "/more" }, first)).toEqual(["9"]);
    // A filter may be a secret, and the command line prints positions.
    expect(JSON.stringify(first)).not.toContain("canary");
  });

  it("takes a change value of another kind for none", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const data = ["2026-03-29", "never", null].map((changed, id) => ({ id, changed }));
    server.answers.push((response) => response.end(JSON.stringify({ data })));
    const [page] = await pagesOf(readRequestOf(server));
    expect(page?.rows).toHaveLength(1);
    expect(page?.rejects?.map(({ where }) => where)).toEqual(["/companies:1", "/companies:2"]);
    expect(page?.position).toMatchObject({ at: "2026-03-29" });
  });
});

describe("a read", () => {
  it("stops between two requests, and within one, when it is aborted", async () => {
    const server = await startApi({ pages: "cursor", pageRows: 5 });
    server.put(rowsOf(12));
    const abort = new AbortController();
    const ask = {
      ...readRequestOf(server, { timeout: "10m" }),
      signal: abort.signal,
      pageRowsMax: 5,
    };
    const reading = http.read(ask)[Symbol.asyncIterator]();
    await reading.next();
    const undo = server.fault("stall");
    const asked = new Promise<void>((resolve) => (server.onRequest = resolve));
    const next = reading.next();
    await asked;
    await turn();
    abort.abort(new Error("cancelled"));
    await expect(next).rejects.toThrow("cancelled");
    await undo();
  });
});

describe("check", () => {
  it("finds that it can be read", async () => {
    const server = await startApi({ pages: "cursor", pageRows: 5 });
    const fine = [{ name: "read", ok: true }];
    expect(await http.check?.(readRequestOf(server))).toEqual(fine);
    server.put(rowsOf(12));
    expect(await http.check?.(readRequestOf(server))).toEqual(fine);
  });

  it("finds a pointer to nothing, entries that are no rows, and refused credentials", async () => {
    const server = await startApi({ pages: "cursor" });
    const found = await http.check?.(readRequestOf(server, { rows: "/items" }));
    expect(found).toMatchObject([{ ok: false, fix: "Set rows as the API documents it." }]);
    server.answers.push((response) => response.end('{"data":[1]}'));
    expect(await http.check?.(readRequestOf(server))).toMatchObject([
      { ok: false, fix: "it is not an object" },
    ]);
    const undo = server.fault("deny");
    expect(await http.check?.(readRequestOf(server))).toMatchObject([
      { ok: false, fix: expect.stringContaining("Check token") as unknown },
    ]);
    await undo();
  });
});
