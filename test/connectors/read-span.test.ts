import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  pullSource,
  type Pull,
  type Row,
  type Source,
} from "../../connectors/contract/connector.ts";
import { withPlaces } from "../../connectors/load/place.ts";
import { readSpan } from "../../connectors/read-span.ts";
import { ConfigError } from "../../src/errors.ts";
import type { RowPage } from "../../src/pipeline/page.ts";
import { numbers } from "../support/sequences.ts";

const position = z.object({ offset: z.int() });

/** A position that code without types gives. */
const loose = z.custom<z.output<typeof position>>();

type Read = Pull<object, z.output<typeof position>, Row>["read"];

function sourceOf(read: Read): Source {
  const source = pullSource({ name: "outside", config: z.strictObject({}), position, read });
  return withPlaces(source, {
    named: { connector: "./outside", folder: import.meta.dirname },
    found: { specifier: "", file: import.meta.filename },
  });
}

function rowsOf(count: number): Row[] {
  return numbers(count).map((id) => ({ id }));
}

// oxlint-disable-next-line require-yield
const wrong: Read = async function* read() {
  throw new ConfigError("no such table", { field: "table" });
};

const ending: Read = async function* read() {
  for (const rows of [2, 0, 0, 2, 0]) {
    yield { rows: rowsOf(rows), position: { offset: 7 }, where: String };
  }
};

const refilling: Read = async function* read() {
  const rows: Row[] = [];
  for (const id of [1, 2, 3]) {
    rows.length = 0;
    rows.push({ id });
    yield { rows, position: { offset: id }, where: String };
  }
};

async function pagesOf(
  read: Read,
  more: { readonly limit?: number; readonly signal?: AbortSignal } = {},
): Promise<readonly RowPage[]> {
  const { limit, signal = new AbortController().signal } = more;
  const span = { from: undefined, to: undefined };
  const job = { connector: "./outside", config: {}, span, pageRowsMax: 7, limit };
  const log = { info() {}, warn() {} };
  const pages: RowPage[] = [];
  for await (const page of readSpan(job, { source: sourceOf(read), signal }, log)) pages.push(page);
  return pages;
}

describe("readSpan", () => {
  it("takes no quiet end for the end of a source when it was aborted", async () => {
    const aborting = new AbortController();
    const quiet: Read = async function* read({ signal }) {
      yield { rows: rowsOf(7), position: { offset: 7 }, where: String };
      aborting.abort();
      if (signal.aborted) return;
      yield { rows: rowsOf(1), position: { offset: 8 }, where: String };
    };
    await expect(pagesOf(quiet, { signal: aborting.signal })).rejects.toThrow("aborted");
  });

  it("keeps each page's position where a connector moves one object along", async () => {
    const asked: unknown[] = [];
    const moving: Read = async function* read({ from, limit = Infinity }) {
      asked.push(from);
      const at = { offset: from?.offset ?? 0 };
      // It has no page smaller than four rows.
      for (let left = limit; left > 0 && at.offset < 12; left -= 4) {
        const rows = rowsOf(Math.min(4, left < 4 && left === limit ? left : 4));
        at.offset += rows.length;
        yield { rows, position: at, where: String };
      }
    };
    const pages = await pagesOf(moving, { limit: 6 });
    expect(pages.map((page) => page.position)).toEqual([{ offset: 4 }, { offset: 6 }]);
    expect(asked).toEqual([undefined, { offset: 4 }]);
  });

  it("tells where an external connector threw, and not its words; its own errors it hands on", async () => {
    const cell = "jane@shop.example";
    // oxlint-disable-next-line require-yield
    const parsing: Read = async function* read() {
      JSON.parse(`{"email":"${cell}"`);
    };
    const error = await pagesOf(parsing).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(
      /connector \.\/outside fails at read-span\.test\.ts:\d+: SyntaxError; `sluice connector dev`/,
    );
    expect(String(error)).not.toContain(cell);
    await expect(pagesOf(wrong)).rejects.toBeInstanceOf(ConfigError);
  });

  it.each([
    { what: "a time without a form", at: Number.NaN },
    { what: "an integer beyond JSON", at: 7n },
    { what: "a date", at: new Date(0) },
  ])("says at once that the position of a page is none to go on from: $what", async ({ at }) => {
    const given = loose.parse({ offset: at });
    const reading: Read = async function* read() {
      yield { rows: rowsOf(1), position: given, where: String };
    };
    const error = await pagesOf(reading).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain("connector ./outside gives a page a position that");
  });

  it.each([{ position: { offset: 7 } }, { position: undefined }])(
    "stops a read whose position stays while rows come: $position",
    async ({ position: stays }) => {
      let pages = 0;
      const standing: Read = async function* read() {
        for (; pages < 9; pages += 1) {
          yield { rows: rowsOf(2), position: loose.parse(stays), where: String };
        }
      };
      await expect(pagesOf(standing)).rejects.toThrow(ConfigError);
      expect(pages).toBe(2);
    },
  );

  it("takes a position that stays where no rows came, or none come after it", async () => {
    expect((await pagesOf(ending)).map(({ rows }) => rows.length)).toEqual([2, 0, 0, 2, 0]);
  });

  it("keeps the rows of a page where a connector fills one list again and again", async () => {
    const pages = await pagesOf(refilling);
    expect(pages.map(({ rows }) => rows)).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]]);
  });
});
