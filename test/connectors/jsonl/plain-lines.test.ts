import { isUtf8 } from "node:buffer";
import { writeFile } from "node:fs/promises";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LineGatherer } from "../../../connectors/jsonl/gather-lines.ts";
import type { LineRange } from "../../../connectors/jsonl/line-cells.ts";
import type { JsonlLine } from "../../../connectors/jsonl/lines.ts";
import { linePage } from "../../../connectors/jsonl/page.ts";
import { coercionNames } from "../../../src/mapping/coerce.ts";
import { parseJsonRow } from "../../../src/mapping/json-row.ts";
import { recordMappingSchema } from "../../../src/mapping/schema.ts";
import type { RowPage } from "../../../src/pipeline/page.ts";
import type { Row } from "../../../src/records/streams.ts";
import { numbers } from "../../support/sequences.ts";
import { trials } from "../../support/trials.ts";
import { linesOf } from "../lines-of.ts";
import { everyValue, file, mapping } from "./json-lines.ts";
import { askFor, pagesOf } from "./support.ts";

/** The ranges of the lines in a file's bytes. */
function rangesOf(bytes: Buffer): LineRange[] {
  const lines: LineRange[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf("\n", from);
    const to = end === -1 ? bytes.length : end;
    lines.push({ from, to });
    from = to + 1;
  }
  return lines;
}

function cut<Item>(items: readonly Item[], size: number): Item[][] {
  return numbers(Math.ceil(items.length / size)).map((at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/** The pages of a file's bytes, each line parsed as a whole, as the connector did before it had cells. */
function parsedPages(bytes: Buffer, pageRowsMax: number): RowPage[] {
  const lines = rangesOf(bytes).map(({ from, to }) => bytes.subarray(from, to));
  return cut(lines, pageRowsMax).map((some, page) => pageOf(some, page * pageRowsMax));
}

/** The pages of a file's bytes that come in blocks of this many lines; partial lines at their ends are read again. */
function blockPages(bytes: Buffer, pageRowsMax: number, blockLines: number): RowPage[] {
  const lines = cut(rangesOf(bytes), blockLines).flatMap((some): JsonlLine[] => {
    const [start, end] = [some[0]?.from ?? 0, (some.at(-1)?.to ?? 0) + 1];
    const block = Buffer.from(bytes.subarray(start, end + 5));
    return some.map(({ from, to }) => {
      return { block, from: from - start, to: to - start, isLong: false, end: to + 1 };
    });
  });
  const how = { path: "a.jsonl", gatherer: new LineGatherer() };
  let line = 1;
  return cut(lines, pageRowsMax).map((some) => {
    line += some.length;
    return linePage(some, { offset: some.at(-1)?.end ?? 0, line, mark: "" }, how);
  });
}

function pageOf(lines: readonly Buffer[], start: number): RowPage {
  const found: { readonly row: Row; readonly where: string; readonly text: string }[] = [];
  const rejects: { where: string; code: string; reason: string; row: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const where = `a.jsonl:${start + index + 1}`;
    const row = line.toString().trim();
    const made = parseJsonRow(row);
    if (!isUtf8(line)) {
      rejects.push({ where, code: "invalid_encoding", reason: "the line is not UTF-8", row });
    } else if (made !== undefined) found.push({ row: made, where, text: row });
    else if (row !== "") {
      rejects.push({ where, code: "not_an_object", reason: "the line is not a JSON object", row });
    }
  }
  return {
    rows: found.map(({ row }) => row),
    rejects,
    position: undefined,
    text: (index) => found[index]?.text ?? "",
    where: (index) => found[index]?.where ?? "",
  };
}

describe("a line of JSON that goes from cells to its line", () => {
  it("becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file", async () => {
    const { ask, path } = await askFor("");
    let plain = 0;
    let objects = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          mapped: mapping,
          bytes: file,
          pageRowsMax: fc.constantFrom(1, 2, 4, 100),
          bytesMax: fc.constantFrom(1_000_000, 200),
        }),
        async ({ mapped: { stream, mapping: from }, bytes, pageRowsMax, bytesMax }) => {
          await writeFile(path, bytes);
          const asked = { stream, record: recordMappingSchema.parse(from), bytesMax };
          const pages = await pagesOf(ask, { pageRowsMax });
          const parsed = parsedPages(bytes, pageRowsMax);
          expect(await linesOf(pages, asked)).toEqual(await linesOf(parsed, asked));
          expect(pages.map(({ rows }) => rows)).toEqual(parsed.map(({ rows }) => rows));
          for (const { cells } of pages) {
            const sizes = [...(cells?.sizes ?? [])];
            plain += sizes.filter((size) => size >= 0).length;
            objects += sizes.filter((size) => size < 0).length;
          }
        },
      ),
      { numRuns: trials(1_000) },
    );
    // Otherwise nothing was compared.
    expect(plain).toBeGreaterThan(1_300);
    expect(objects).toBeGreaterThan(130);
  });

  it("becomes the same whatever blocks the file comes in", async () => {
    await fc.assert(
      fc.asyncProperty(
        mapping,
        file,
        fc.tuple(fc.constantFrom(2, 4, 100), fc.constantFrom(1, 2, 3, 7)),
        async ({ stream, mapping: from }, bytes, [pageRowsMax, blockLines]) => {
          const asked = { stream, record: recordMappingSchema.parse(from), bytesMax: 1_000_000 };
          const parsed = parsedPages(bytes, pageRowsMax);
          const pages = blockPages(bytes, pageRowsMax, blockLines);
          expect(await linesOf(pages, asked)).toEqual(await linesOf(parsed, asked));
          expect(pages.map(({ rows }) => rows)).toEqual(parsed.map(({ rows }) => rows));
        },
      ),
      { numRuns: trials(300) },
    );
  });

  const ways = coercionNames.filter((name) => name !== "json");
  it.each(["any", ...ways])("becomes the same whatever a member holds, as: %s", async (way) => {
    const as = ways.find((name) => name === way);
    const bytes = Buffer.from(everyValue.join("\n"));
    const { ask } = await askFor(bytes);
    const pages = await pagesOf(ask);
    const properties = [
      { value: { column: "a", as } },
      { value: { column: "a", as, empty: "keep" } },
      { value: { column: "a", as, default: "5", on_invalid: "omit" } },
      { value: { column: "a.b", as }, bare: "a.0" },
      { value: { template: "{a}-{a.b}", as: "string" } },
    ];
    const fields = [{ column: "id" }, { column: "a", as }];
    for (const account_properties of properties) {
      for (const account_id of fields) {
        const written = { account_id, domain: "site", account_properties };
        const record = recordMappingSchema.parse(written);
        const asked = { stream: "account", record, bytesMax: 1_000_000 } as const;
        expect(await linesOf(pages, asked)).toEqual(await linesOf(parsedPages(bytes, 100), asked));
      }
    }
  });

  it("keeps the rows of a page whose lines are of two blocks", async () => {
    const long = "x".repeat(700);
    const lines = numbers(9_000).map((index) =>
      index % 3 === 0
        ? `{"id":"k${index}","name":"${long}"}`
        : `{"name":"é${long}","n${index % 5}":${index},"id":"k${index}"}`,
    );
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    const { ask } = await askFor(bytes);
    const record = recordMappingSchema.parse({
      account_id: "id",
      domain: { value: "a.example" },
      account_properties: { name: "name", one: "n1", two: { column: "n2", as: "string" } },
    });
    const asked = { stream: "account", record, bytesMax: 1_000_000 } as const;
    const pages = await pagesOf(ask, { pageRowsMax: 1_000 });
    expect(await linesOf(pages, asked)).toEqual(await linesOf(parsedPages(bytes, 1_000), asked));
    expect(pages.flatMap(({ cells }) => [...(cells?.sizes ?? [])]).every((size) => size > 0)).toBe(
      true,
    );
  });

  it("is an object where it has more names than there are columns", async () => {
    const names = numbers(300).map((index) => `"n${index}":${index}`);
    const text = `{"id":"a",${names.join(",")}}\n{"id":"b"}\n{"n299":299,"id":"c"}\n`;
    const { ask } = await askFor(text);
    const record = recordMappingSchema.parse({
      // A key that no row lacks, so that nothing else turns the row into an object.
      account_id: { value: "a" },
      domain: { value: "a.example" },
      account_properties: { first: "n0", last: "n299" },
    });
    const asked = { stream: "account", record, bytesMax: 1_000_000 } as const;
    const pages = await pagesOf(ask);
    expect(await linesOf(pages, asked)).toEqual(
      await linesOf(parsedPages(Buffer.from(text), 100), asked),
    );
    expect([...(pages[0]?.cells?.sizes ?? [])]).toEqual([-1, 10, -1]);
  });
});
