import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PageReader } from "../../../connectors/csv/parse/pages.ts";
import { messageOf } from "../../../src/errors.ts";
import { coercionNames } from "../../../src/mapping/coerce.ts";
import { recordMappingSchema } from "../../../src/mapping/schema.ts";
import type { RowPage } from "../../../src/pipeline/page.ts";
import type { Cells } from "../../../src/records/cells.ts";
import { collect, numbers } from "../../support/sequences.ts";
import { trials } from "../../support/trials.ts";
import { asObjects, linesOf, needsObjects, type LinesAsked } from "../lines-of.ts";
import { columns, csvOf, mapping, rawFile, row, values, type Written } from "./plain-rows.ts";

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The pages of a file's bytes, which come in pieces of this size. */
async function pagesOf(
  bytes: Buffer,
  pieceBytes: number,
  { delimiter, quote, pageRowsMax = 4 }: Written & { readonly pageRowsMax?: number },
): Promise<RowPage[]> {
  const reader = new PageReader({
    place: "a.csv",
    layout: { encoding: "utf-8", dialect: { delimiter, quote }, columns, offset: 0, line: 1 },
    start: { offset: 0, line: 1 },
    pageRowsMax,
    leavesOpenRow: false,
  });
  const pages = await collect(reader.pages(piecesOf(bytes, pieceBytes)));
  return pages.map((page) => ({
    rows: page.rows,
    cells: page.cells,
    rejects: page.rejects,
    position: page.offset,
    where: (index) => `a.csv:${page.lines[index]}`,
  }));
}

function neverMade(): never {
  throw new Error("a row was made");
}

const fixed = { end: "\n", quotesAll: false, quote: '"', delimiter: "," };

/** The results for rows with all values, from cells and as objects. */
async function bothWays(how: Pick<LinesAsked, "stream" | "record">): Promise<{
  readonly fromCells: unknown;
  readonly asObjects: unknown;
}> {
  const all = ["", ...values];
  const rows = all.map((value, index) => [`k${index}`, "a.example", value, "", "", "", "", value]);
  const pages = await pagesOf(Buffer.from(csvOf(rows, fixed)), 1_000, fixed);
  const asked = { ...how, bytesMax: 1_000_000 };
  return {
    fromCells: await linesOf(pages, asked),
    asObjects: await linesOf(asObjects(pages), asked),
  };
}

describe("a row that goes from cells to its line", () => {
  it("becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file", async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          mapped: mapping,
          rows: fc.array(row, { maxLength: 9 }),
          written: fc.record({
            end: fc.constantFrom("\n", "\r\n"),
            quotesAll: fc.boolean(),
            quote: fc.constantFrom('"', "'"),
            delimiter: fc.constantFrom(",", ";", "\t"),
          }),
          pieceBytes: fc.constantFrom(1, 2, 3, 7, 1_000),
          bytesMax: fc.constantFrom(undefined, 1_000_000, 200),
        }),
        async ({ mapped, rows, written, pieceBytes, bytesMax }) => {
          const { stream } = mapped;
          const record = recordMappingSchema.parse(mapped.mapping);
          const pages = await pagesOf(Buffer.from(csvOf(rows, written)), pieceBytes, written);
          const asked = { stream, record, bytesMax };
          const fast = await linesOf(pages, asked);
          expect(fast).toEqual(await linesOf(asObjects(pages), asked));
          if (!needsObjects(asked)) plain += 1;
        },
      ),
      { numRuns: trials(300) },
    );
    // Otherwise nothing was compared.
    expect(plain).toBeGreaterThan(60);
  });

  it("becomes the same of a file that is not as csv is to be, in whatever pieces it comes", async () => {
    const seen = new Map<string, number>();
    const note = (what: string, count: number): void =>
      void seen.set(what, (seen.get(what) ?? 0) + count);
    await fc.assert(
      fc.asyncProperty(
        mapping,
        rawFile,
        fc.constantFrom(1, 2, 3, 7),
        async ({ stream, mapping: from }, bytes, pieceBytes) => {
          const record = recordMappingSchema.parse(from);
          const asked = { stream, record, bytesMax: 1_000_000 };
          const whole = await pagesOf(bytes, 1_000_000, fixed).catch(messageOf);
          const pages = await pagesOf(bytes, pieceBytes, fixed).catch(messageOf);
          const found = typeof pages === "string" ? pages : await linesOf(pages, asked);
          expect(found).toEqual(
            typeof whole === "string" ? whole : await linesOf(asObjects(whole), asked),
          );
          if (typeof pages === "string") note("refused", 1);
          else {
            note("rows", pages.flatMap(({ rows }) => rows).length);
            for (const { code } of pages.flatMap(({ rejects }) => rejects ?? [])) note(code, 1);
          }
        },
      ),
      { numRuns: trials(500) },
    );
    // Otherwise nothing was compared.
    const kinds = ["invalid_encoding", "nul_byte", "ragged_row", "refused", "rows", "stray_quote"];
    expect([...seen.keys()].toSorted()).toEqual(kinds);
    expect(seen.get("rows")).toBeGreaterThan(500);
  });

  it.each(coercionNames.filter((name) => name !== "json"))(
    "is taken for plain by `as: %s` only where the coercion leaves it as it is",
    async (as) => {
      const record = recordMappingSchema.parse({
        account_id: "id",
        domain: { value: "a.example" },
        account_properties: {
          value: { column: "name", as },
          bare: { column: "more", trim: true },
        },
      });
      const rows = values.map((value, index) => [`k${index}`, "", value, "", "", "", "", value]);
      const bytes = Buffer.from(csvOf(rows, fixed));
      const pages = await pagesOf(bytes, 1_000, fixed);
      const asked = { stream: "account", record, bytesMax: 1_000_000 } as const;
      expect(await linesOf(pages, asked)).toEqual(await linesOf(asObjects(pages), asked));
    },
  );

  it.each<[string, object]>([
    ["in small letters, also outside ASCII", { column: "name", lowercase: true }],
    ["from a column that is not there", { column: "nothing", empty: "keep" }],
  ])("becomes what it becomes as an object %s", async (_, value) => {
    const record = recordMappingSchema.parse({
      account_id: "id",
      domain: { value: "a.example" },
      account_properties: { value },
    });
    const ways = await bothWays({ stream: "account", record });
    expect(ways.fromCells).toEqual(ways.asObjects);
  });

  it.each<[string, object | string]>([
    ["as it came", "name"],
    ["as a text", { column: "name", as: "string" }],
    ["trimmed", { column: "name", trim: true }],
    ["in small letters", { column: "name", lowercase: true }],
    ["as a date", { column: "name", as: "date" }],
    ["as a domain", { column: "name", as: "domain" }],
    ["as an email", { column: "name", as: "email" }],
    ["of a template", { template: "{name}T00:00:00Z" }],
    ["of a template that is the column", { template: "{name}", as: "string" }],
  ])("has a time that is a time: %s", async (_, event_timestamp) => {
    const record = recordMappingSchema.parse({
      event_id: "id",
      account_id: "site",
      event: { value: "seen" },
      event_timestamp,
      event_properties: {},
    });
    const ways = await bothWays({ stream: "account_event", record });
    expect(ways.fromCells).toEqual(ways.asObjects);
  });

  const half = "\ud800";
  const deep: unknown = JSON.parse(`${"[".repeat(32)}${"]".repeat(32)}`);
  it.each<[string, object]>([
    ["half a character in a template", { name: { template: `${half}{name}` } }],
    ["half a character in a name", { [half]: "name" }],
    ["a constant that is nested too deeply", { name: { value: deep } }],
    ["a default that is nested too deeply", { name: { column: "name", default: deep } }],
  ])("is refused for %s", async (_, account_properties) => {
    const record = recordMappingSchema.parse({
      account_id: "id",
      domain: { value: "a.example" },
      account_properties,
    });
    const ways = await bothWays({ stream: "account", record });
    expect(ways.fromCells).toEqual(ways.asObjects);
  });

  it("keeps the cells of a page while the window moves on", async () => {
    const rows = numbers(2_000).map((index) => [
      `k${index}`,
      ...columns.slice(1).map((name) => `${name}${index} `.repeat(500)),
    ]);
    const pages = await pagesOf(Buffer.from(csvOf(rows, fixed)), 512 * 1024, {
      ...fixed,
      pageRowsMax: 300,
    });
    const read = pages.flatMap(({ cells }) =>
      numbers(cells?.count ?? 0).map((index) => columns.map((name) => cells?.row(index)[name])),
    );
    expect(read.length).toBe(rows.length);
    expect(read.findIndex((cells, index) => cells.join() !== rows[index]?.join())).toBe(-1);
  });

  it("keeps the cells of a page while others use memory that was given back", async () => {
    const rows = numbers(600).map((index) => [
      `k${index}`,
      // Pages of varying sizes.
      ...columns.slice(1).map((name) => `${name}${index} `.repeat((index * index) % 700)),
    ]);
    const bytes = Buffer.from(csvOf(rows, fixed));
    const reader = new PageReader({
      place: "a.csv",
      layout: { encoding: "utf-8", dialect: fixed, columns, offset: 0, line: 1 },
      start: { offset: 0, line: 1 },
      pageRowsMax: 7,
      leavesOpenRow: false,
    });
    const held: Cells[] = [];
    let read = 0;
    for await (const { cells } of reader.pages(piecesOf(bytes, 60_000))) {
      if (cells !== undefined) held.push(cells);
      // As with pages whose keys are judged while others are read.
      const oldest = held.length > 3 ? held.shift() : undefined;
      for (let index = 0; index < (oldest?.count ?? 0); index += 1) {
        const made = oldest?.row(index);
        expect(columns.map((name) => made?.[name])).toEqual(rows[read]);
        read += 1;
      }
      oldest?.release?.();
    }
    expect(read).toBeGreaterThan(500);
  });

  it("needs no object where every cell is plain", async () => {
    const record = recordMappingSchema.parse({
      account_id: "id",
      domain: { column: "site", as: "domain" },
      account_properties: { name: "name", size: { column: "more", as: "integer" } },
    });
    const rows = [["k1", "a.example", '東京, "x"', "", "", "", "", "42"]];
    const [page] = await pagesOf(Buffer.from(csvOf(rows, fixed)), 1_000, fixed);
    const cells = page?.cells;
    if (page === undefined || cells === undefined) throw new Error("no cells");
    const only: RowPage = {
      cells: { ...cells, columns: cells.columns, count: 1, row: neverMade },
      get rows(): never {
        return neverMade();
      },
      position: 0,
      where: () => "",
    };
    const [lines] = await linesOf([only], { stream: "account", record, bytesMax: 1_000_000 });
    expect(lines).toMatchObject({
      jsonl:
        '{"type":"account","account_id":"k1","domain":"a.example",' +
        '"account_properties":{"name":"東京, \\"x\\"","size":42}}\n',
    });
  });
});
