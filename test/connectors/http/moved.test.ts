import { describe, expect, it } from "vitest";

import type { HarnessRow } from "../../../testing/harness.ts";
import type { ApiServer } from "./api-server.ts";
import { idsOf, pagesOf, readRequestOf, startApi } from "./support.ts";

/** Rows with ids from 1 on; each of `seconds` is the second of a minute in which one changed. */
function rowsAt(seconds: readonly number[]): readonly HarnessRow[] {
  return seconds.map((second, index) => ({
    id: String(index + 1),
    text: "canary-cell",
    changed: `2026-03-29T00:59:${String(second).padStart(2, "0")}.000000Z`,
  }));
}

/** Row 2 changes before the given request from now on. */
function changeAt(server: ApiServer, request: number): void {
  let requests = 0;
  server.onRequest = () => {
    requests += 1;
    const changed = "2026-03-29T00:59:30.000000Z";
    if (requests === request) server.put([{ id: "2", text: "canary-cell", changed }]);
  };
}

describe("a row that moves to the page before, while only rows that were read are on it", () => {
  it.each([
    { what: "one of several of its time", seconds: [1, 2, 2, 2, 3, 3, 3, 4, 5] },
    { what: "alone at its time", seconds: [1, 2, 2, 2, 3, 4, 5, 6, 7] },
    { what: "of the time that was read last", seconds: [1, 2, 2, 2, 2, 3, 4, 5, 6] },
  ])("is read: $what", async ({ seconds }) => {
    for (const pages of ["cursor", "number"] as const) {
      const server = await startApi({ pages, since: "from", pageRows: 4 });
      const rows = rowsAt(seconds);
      server.put(rows.slice(0, 4));
      const ask = readRequestOf(server);
      const from = (await pagesOf(ask)).at(-1)?.position;
      server.put(rows.slice(4));
      changeAt(server, 2);
      const read = new Set(idsOf(await pagesOf(ask, { from })));
      expect([...read].toSorted()).toEqual(["2", "5", "6", "7", "8", "9"]);
    }
  });

  it("is read where an API leaves out the rows of some times that it is asked from", async () => {
    const server = await startApi({ pages: "cursor", since: "from", pageRows: 4 });
    const rows = rowsAt([1, 2, 2, 2, 2, 3]);
    server.put(rows.slice(0, 4));
    const ask = readRequestOf(server);
    const from = (await pagesOf(ask)).at(-1)?.position;
    server.put(rows.slice(4));
    const before = server.seen.length;
    let leaves = 0;
    server.onRequest = () => {
      // The third request asks from the time of rows 2 to 5.
      if (server.seen.length - before !== 2) return;
      leaves += 1;
      server.answers.push((response) =>
        response.end(JSON.stringify({ data: rows.slice(5), meta: { next: null } })),
      );
    };
    expect(idsOf(await pagesOf(ask, { from }))).toEqual(["5", "6"]);
    expect(leaves).toBe(1);
  });

  it("is not waited for where a page is full of rows of one time", async () => {
    const server = await startApi({ pages: "cursor", since: "from", pageRows: 4 });
    const rows = rowsAt([1, 2, 2, 2, 2, 2, 3, 3, 4]);
    server.put(rows.slice(0, 6));
    const ask = readRequestOf(server);
    const from = (await pagesOf(ask)).at(-1)?.position;
    server.put(rows.slice(6));
    server.seen.length = 0;
    server.onRequest = () => {
      if (server.seen.length > 20) throw new Error("it is read for ever");
    };
    expect(idsOf(await pagesOf(ask, { from }))).toEqual(["7", "8", "9"]);
    expect(server.seen.length).toBeLessThanOrEqual(6);
  });

  it("costs no more than two requests for each page, and none where nothing changed", async () => {
    const server = await startApi({ pages: "number", since: "from", pageRows: 4 });
    server.put(rowsAt([1, 2, 2, 2]));
    const ask = readRequestOf(server);
    const from = (await pagesOf(ask)).at(-1)?.position;
    server.seen.length = 0;
    expect(await pagesOf(ask, { from })).toEqual([]);
    expect(server.seen).toHaveLength(2);
    server.put(rowsAt([1, ...Array.from({ length: 48 }, (_, index) => 2 + Math.floor(index / 3))]));
    server.seen.length = 0;
    expect(idsOf(await pagesOf(ask, { from }))).toHaveLength(45);
    expect(server.seen.length).toBeLessThanOrEqual(50);
  });
});
