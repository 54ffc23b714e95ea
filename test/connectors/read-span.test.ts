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
});
