import { describe, expect, it } from "vitest";

import { pagePosition } from "../../../connectors/paging/position.ts";
import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { idsOf, pagesOf, readRequestOf, startApi } from "./support.ts";

const hourMs = 3_600_000;

/** A row that changed so long from now. */
function rowOf(id: number, fromNowMs: number) {
  const changed = new Date(Date.now() + fromNowMs).toISOString().replace("Z", "000Z");
  return { id: String(id), text: "canary-cell", changed };
}

const decades = 70 * 365 * 24 * hourMs;

describe("a row that is stamped later than now", () => {
  it.each([
    { pages: "cursor", since: "from" },
    { pages: "number", since: "after" },
  ] as const)("waits, and hides no later change ($pages, $since)", async (style) => {
    const server = await startApi({ ...style, pageRows: 2 });
    server.put([rowOf(1, -3 * hourMs), rowOf(8, 2 * 60_000), rowOf(9, decades)]);
    const ask = readRequestOf(server);
    const first = await pagesOf(ask);
    expect(idsOf(first)).toEqual(["1"]);
    server.put([rowOf(2, -2 * hourMs), rowOf(3, -hourMs), rowOf(4, -1_000)]);
    const second = await pagesOf(ask, { from: first.at(-1)?.position });
    expect(idsOf(second)).toEqual(["2", "3", "4"]);
    // Its time comes.
    server.put([rowOf(9, -500)]);
    expect(idsOf(await pagesOf(ask, { from: second.at(-1)?.position }))).toEqual(["9"]);
  });

  it("is passed over where it fills the only page that an API gives", async () => {
    const server = await startApi({ pages: "cursor", since: "from", pageRows: 2 });
    server.put([rowOf(7, decades), rowOf(8, decades), rowOf(9, decades)]);
    expect(await pagesOf(readRequestOf(server, { cursor: undefined }))).toEqual([]);
    server.put([rowOf(1, -hourMs)]);
    expect(idsOf(await pagesOf(readRequestOf(server, { cursor: undefined })))).toEqual(["1"]);
  });

  it.each([
    { what: "after a row of its time", since: "2026-03-01T00:00:01.000000Z", ids: ["2", "3"] },
    { what: "after another such row", since: "2098-01-01T00:00:00.000000Z", ids: ["1", "2", "3"] },
  ])("hides nothing where a position holds it $what", async ({ since, ids }) => {
    const server = await startApi({ pages: "cursor", since: "after", pageRows: 2 });
    const early = { ...rowOf(1, 0), changed: "2026-03-01T00:00:01.000000Z" };
    server.put([early]);
    const ask = readRequestOf(server);
    const position = pagePosition.parse((await pagesOf(ask)).at(-1)?.position);
    server.put([rowOf(2, -2 * hourMs), rowOf(3, -hourMs), rowOf(9, decades)]);
    const seen = ["aaaaaaaaaaaa9"];
    const from = { ...position, since, at: "2099-01-01T00:00:00.000000Z", seen };
    expect(idsOf(await pagesOf(ask, { from }))).toEqual(ids);
  });

  it("is read again where a chunk is staged again that held it, by a clock that is behind", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    server.put([rowOf(1, -hourMs), rowOf(2, -1)]);
    const ask = readRequestOf(server);
    const to = pagePosition.parse((await pagesOf(ask)).at(-1)?.position);
    const soon = rowOf(2, 5 * 60_000);
    server.put([soon]);
    expect(idsOf(await pagesOf(ask, { to: { ...to, at: soon.changed } }))).toEqual(["1"]);
    expect(idsOf(await pagesOf(ask, { to: { ...to, at: rowOf(2, hourMs).changed } }))).toEqual([
      "1",
      "2",
    ]);
  });

  it.each(["2026-11-28", "2026-11-28 10:00:00", "2026-11-28T10:00Z", "2026-11-28T10:00:00.5+0100"])(
    "is known by its time in the form of %s",
    async (form) => {
      const server = await startApi({ pages: "cursor", since: "from" });
      const data = ["2020", "2099"].map((year) => ({
        id: year,
        changed: form.replace("2026", year),
      }));
      server.answers.push(
        (response) => response.end(JSON.stringify({ data })),
        (response) => response.end(JSON.stringify({ data })),
      );
      expect(idsOf(await pagesOf(readRequestOf(server)))).toEqual(["2020"]);
    },
  );

  it("is read at once where it may be now in a zone that its time does not name", async () => {
    const server = await startApi({ pages: "cursor", since: "from" });
    const changed = rowOf(1, 13 * hourMs).changed.replace("Z", "");
    server.answers.push((response) => response.end(JSON.stringify({ data: [{ id: 1, changed }] })));
    expect(idsOf(await pagesOf(readRequestOf(server)))).toEqual(["1"]);
  });

  it("is counted in the report", async () => {
    const server = await startApi({ pages: "cursor", since: "from", pageRows: 2 });
    server.put([rowOf(1, -hourMs), rowOf(8, decades), rowOf(9, decades)]);
    const harness = await Harness.open({
      yaml: `${harnessHead}connections:
  api: ${JSON.stringify({ connector: "http", ...server.config, timeout: "30s" })}
syncs:
  accounts:
    from: api
    stream: account
    record:
      account_id: { column: id, as: string }
      domain: { value: a.example }
      account_properties: {}
`,
    });
    const { counts, warnings } = await (await TestRun.open(harness, {})).transfer();
    expect({ read: counts.read, warnings }).toEqual({
      read: 1,
      warnings: ["2 rows stamped later than now, left for a run after that time"],
    });
  });
});
