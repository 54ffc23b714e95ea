import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PageReader } from "../../../connectors/csv/parse/pages.ts";
import { checkMapping } from "../../../src/mapping/check-mapping.ts";
import { coercionNames } from "../../../src/mapping/coerce.ts";
import { compileMapping } from "../../../src/mapping/compile.ts";
import type { FieldRule, RecordMapping } from "../../../src/mapping/schema.ts";
import { recordMappingSchema } from "../../../src/mapping/schema.ts";
import { writeLines } from "../../../src/pipeline/lines.ts";
import { numbered, type RecordPage, type RowPage } from "../../../src/pipeline/page.ts";
import { rejectMaker } from "../../../src/pipeline/rejects.ts";
import type { Stream } from "../../../src/records/streams.ts";
import { collect, streamOf } from "../../support/sequences.ts";

/** Values that the kinds of fields take, nearly take, or change. */
const values = [
  ..."0 7 -3 +5 007 -0 999999999999999 9007199254740993 1.0 1.50 0.10 -0.5 0.000001 0.0000001 1e3 .5 5.".split(
    " ",
  ),
  ..."true TRUE False yes n t 1 ja".split(" "),
  ..."2024-02-29 2023-02-29 0000-01-01 2024-13-01 2024-1-1 2024-12-31".split(" "),
  ..."2024-01-01T00:00:00Z 2024-01-01T00:00:00.123456789Z 2024-01-01T00:00:00.1234567890Z".split(
    " ",
  ),
  ..."2024-01-01T24:00:00Z 2024-01-01T00:00:60Z 2024-01-01T00:00:00+02:00 2024-01-01T00:00:00.Z".split(
    " ",
  ),
  ..."2024-01-01T00:00Z 2024-01-01t00:00:00z 2024-01-01T00:00:00".split(" "),
  ..."a.example A.Example www.a.example a--b.example xn--bcher-kva.example a_b.example -a.example".split(
    " ",
  ),
  ..."a-.example example a.b1 1.2.3.4 https://www.a.example/x a.example. a..example a.co bücher.example".split(
    " ",
  ),
  ...'me@a.example Me@A.example @a.example me@ me+x@a.example m@e@a.example "me"@a.example me@www.a.example'.split(
    " ",
  ),
  `${"a".repeat(63)}.example`,
  `${"a".repeat(64)}.example`,
  `${"ab.".repeat(82)}example`,
  `${"ab.".repeat(84)}example`,
  `${"a".repeat(64)}@a.example`,
  `${"a".repeat(65)}@a.example`,
  "two\nlines",
  "a\r\nb",
  'say "hi"',
  '""',
  "back\\slash",
  "tab\there",
  "\u0001\u001f\u007f",
  " padded ",
  "\u00a0wide\u00a0",
  "\u3000wide\u3000",
  "\ufeffmark",
  "東京",
  "Straße",
  "ÀÉ",
  "😀",
  "\u2028",
  " ",
  "a,b;c",
  "x".repeat(300),
];

const columns = ["id", "site", "name", "constructor", "a.b", "10", "2", "more"];

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);

/** A row that becomes a record more often than not, and what surprises. */
const row = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom("k1", "k2", "käse", 'k"3') }, cell),
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a.example", "b.example") }, cell),
  ...columns.slice(2).map(() => cell),
);

const column = fc.constantFrom(...columns, "absent", "absent.member");

const rule = fc
  .record(
    {
      source: fc.oneof(
        { weight: 6, arbitrary: column.map((name) => ({ column: name })) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom("{id}", "{id}-{name}", 'say "{{{more}}}"\n', "{absent}", "x{id}{id}")
            .map((template) => ({ template })),
        },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom<unknown>("text", 5, true, [1], "7")
            .map((value) => ({ value })),
        },
      ),
      as: fc.constantFrom(...coercionNames),
      trim: fc.boolean(),
      lowercase: fc.boolean(),
      whenEmpty: fc.constantFrom<object>(
        { required: true },
        { empty: "keep" },
        { empty: "null" },
        { empty: "omit" },
        { default: "none" },
        { default: 5 },
      ),
      on_invalid: fc.constantFrom("omit", "reject"),
    },
    { requiredKeys: ["source"] },
  )
  .map(({ source, whenEmpty, ...rest }) => ({ ...source, ...whenEmpty, ...rest }));

const field = fc.oneof(column, rule);

const properties = fc.dictionary(
  fc.constantFrom("name", "2", "10", "é", 'q"', "a.b", "x1", "x2", "x3"),
  field,
  { maxKeys: 8 },
);

const key = fc.oneof({ weight: 5, arbitrary: fc.constant("id") }, field);
const site = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("site", { column: "site", as: "domain" }) },
  field,
);

const mappings: readonly fc.Arbitrary<{ readonly stream: Stream; readonly mapping: unknown }>[] = [
  fc
    .record({ account_id: key, domain: site, account_properties: properties })
    .map((mapping) => ({ stream: "account", mapping })),
  fc
    .record({ contact_id: key, email: field, contact_properties: properties })
    .map((mapping) => ({ stream: "contact", mapping })),
  fc
    .record({
      event_id: key,
      account_id: field,
      event: fc.oneof(site, fc.constant({ value: "signup" })),
      event_timestamp: fc.oneof(
        column,
        column.map((name): FieldRule => ({ column: name, as: "datetime" })),
      ),
      event_properties: properties,
    })
    .map((mapping) => ({ stream: "account_event", mapping })),
];

/** A mapping that `sluice.yaml` may hold. */
const mapping = fc.oneof(...mappings).filter(({ stream, mapping: from }) => {
  const parsed = recordMappingSchema.safeParse(from);
  return parsed.success && checkMapping(parsed.data, stream).length === 0;
});

type Written = {
  /** How a line ends. */
  readonly end: string;
  /** Whether cells are quoted that need not be. */
  readonly quotesAll: boolean;
  readonly quote: string;
  readonly delimiter: string;
};

function csvOf(
  rows: readonly (readonly string[])[],
  { end, quotesAll, quote, delimiter }: Written,
): string {
  const written = (text: string): string =>
    quotesAll || text.includes(quote) || /[\r\n]/.test(text) || text.includes(delimiter)
      ? `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
      : text;
  return rows.map((cells) => `${cells.map(written).join(delimiter)}${end}`).join("");
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The pages of a file's bytes, in pieces of so many. */
async function pagesOf(bytes: Buffer, pieceBytes: number, written: Written): Promise<RowPage[]> {
  const { delimiter, quote } = written;
  const reader = new PageReader({
    place: "a.csv",
    layout: { encoding: "utf-8", dialect: { delimiter, quote }, columns, offset: 0, line: 1 },
    start: { offset: 0, line: 1 },
    pageRowsMax: 4,
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

/** What becomes of pages, without what only one way has. */
async function linesOf(
  pages: readonly RowPage[],
  {
    stream,
    record,
    bytesMax,
  }: { readonly stream: Stream; readonly record: RecordMapping; readonly bytesMax: number },
): Promise<readonly object[]> {
  const compiled = compileMapping({ mapping: record, stream });
  const how = {
    stream,
    keepRows: "keep",
    makeReject: rejectMaker(stream, "keep"),
    bytesMax,
  } as const;
  const lines = await collect(writeLines(numbered(streamOf(pages)), { ...how, mapping: compiled }));
  return lines.map((page: RecordPage) => ({
    ...page,
    source: undefined,
    candidates: page.candidates.map((candidate) => ({ ...candidate, record: undefined })),
    jsonl: page.jsonl.toString(),
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
          const slow = await linesOf(
            pages.map((page) => ({ ...page, cells: undefined })),
            asked,
          );
          expect(fast).toEqual(slow);
          const { plan } = compileMapping({ mapping: record, stream });
          if (!("because" in plan)) plain += 1;
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
          low: { column: "more", lowercase: true },
        },
      });
      const rows = values.map((value, index) => [`k${index}`, "", value, "", "", "", "", value]);
      const bytes = Buffer.from(csvOf(rows, fixed));
      const pages = await pagesOf(bytes, 1_000, fixed);
      const asked = { stream: "account", record, bytesMax: 1_000_000 } as const;
      const slow = pages.map((page) => ({ ...page, cells: undefined }));
      expect(await linesOf(pages, asked)).toEqual(await linesOf(slow, asked));
    },
  );

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
        '{"type":"account","account_id":"k1","domain":"a.example","account_properties":{"name":"東京, \\"x\\"","size":42}}\n',
    });
  });
});
