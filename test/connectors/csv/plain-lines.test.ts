import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PageReader } from "../../../connectors/csv/parse/pages.ts";
import { coercionNames } from "../../../src/mapping/coerce.ts";
import { recordMappingSchema } from "../../../src/mapping/schema.ts";
import type { RowPage } from "../../../src/pipeline/page.ts";
import { collect, numbers } from "../../support/sequences.ts";
import { asObjects, linesOf, needsObjects } from "../lines-of.ts";
import { columns, csvOf, mapping, row, values, type Written } from "./plain-rows.ts";

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The pages of a file's bytes, which come in pieces of so many. */
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
          bytesMax: fc.constantFrom(1_000_000, 200),
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
      { numRuns: 1_500 },
    );
    // Else nothing was compared.
    expect(plain).toBeGreaterThan(300);
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
