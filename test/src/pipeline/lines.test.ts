import { describe, expect, it } from "vitest";

import { compileMapping, type Mapped } from "../../../src/mapping/compile.ts";
import { writeLines, type HowToWrite } from "../../../src/pipeline/lines.ts";
import {
  lineOf,
  recordOf as recordOfCandidate,
  type RecordPage,
  type RowPage,
} from "../../../src/pipeline/page.ts";
import type { Row } from "../../../src/records/streams.ts";
import { collect, numbers, streamOf } from "../../support/sequences.ts";
import { isBalanced, makeReject, rowPage } from "./support.ts";

const how = { stream: "account", keepRows: "keep", makeReject } as const;
const plan = { because: "this test maps by itself" };

function recordOf(id: unknown, domain = "a.example"): Readonly<Record<string, unknown>> {
  return { type: "account", account_id: id, domain, account_properties: {} };
}

function account(id: unknown, domain?: string): Mapped {
  return { record: recordOf(id, domain) };
}

/** Maps by the row's `as`. */
const mapping = {
  plan,
  map: ({ as: kind, id }: Readonly<Record<string, unknown>>): Mapped => {
    if (kind === "filtered") return null;
    if (kind === "invalid") return account(id, "");
    if (kind === "broken") {
      return { reject: { code: "not_domain", field: "domain", reason: "is not a domain" } };
    }
    return account(id);
  },
};

async function written(...pages: readonly RowPage[]): Promise<RecordPage[]> {
  return await collect(writeLines(streamOf(pages), { ...how, mapping }));
}

/** The ids of a page: none to eight rows. */
function idsOf(page: number): string[] {
  return numbers(page % 9).map((row) => `${page}-${row}`);
}

/** The page of one account with this name. */
async function named(name: string, more: Partial<HowToWrite> = {}): Promise<RecordPage> {
  const fields = { account_id: "id", domain: "site", account_properties: { name: "name" } };
  const compiled = compileMapping({ mapping: fields, stream: "account" });
  const rows = [{ id: "7", site: "a.example", name }];
  const asked = { ...how, mapping: compiled, ...more };
  const [page] = await collect(writeLines(streamOf([rowPage(rows)]), asked));
  if (page === undefined) throw new Error("no page");
  return page;
}

describe("writeLines", () => {
  it("makes of each row a line, a reject with its place, or nothing", async () => {
    const rows = [
      { id: "1" },
      { id: "2", as: "filtered" },
      { id: "3", as: "broken" },
      { id: "4", as: "invalid" },
      { id: "5" },
    ];
    const page = rowPage(rows);
    const [lines] = await written(page);
    expect(lines).toMatchObject({ source: page, read: 5, filtered: 1, unchanged: 0 });
    expect(lines?.candidates.map(({ key, index }) => [key, index])).toEqual([
      ["1", 0],
      ["5", 4],
    ]);
    expect(lines?.rejects).toEqual([
      {
        stream: "account",
        place: "a.csv:4",
        step: "map",
        code: "not_domain",
        field: "domain",
        reason: "is not a domain",
        row: '{"id":"3","as":"broken"}',
      },
      {
        stream: "account",
        place: "a.csv:5",
        step: "validate",
        code: "required",
        field: "domain",
        reason: "is required, and empty",
        key: "4",
        row: '{"id":"4","as":"invalid"}',
      },
    ]);
    expect(lines !== undefined && isBalanced(lines)).toBe(true);
  });

  it("passes on what the connector could not read, and counts it as read", async () => {
    const rejects = [{ where: "a.csv:9", code: "ragged_row", reason: "has 2 columns", row: "1,2" }];
    expect(await written(rowPage([{ id: "1" }], { rejects }))).toMatchObject([
      { read: 2, rejects: [{ place: "a.csv:9", step: "read", code: "ragged_row", row: "1,2" }] },
    ]);
  });

  it("keeps pages in order, empty ones too", async () => {
    const pages = [rowPage([{ id: "1" }]), rowPage([]), rowPage([{ id: "2" }])];
    expect(await written(...pages)).toMatchObject([{ read: 1 }, { read: 0 }, { read: 1 }]);
  });

  it("has of each record what its line says, also where a mapping uses one object for all", async () => {
    const properties: Record<string, unknown> = {};
    const map = ({ id }: Row): Mapped => {
      properties["name"] = `name of ${String(id)}`;
      return { record: { ...recordOf(id), account_properties: properties } };
    };
    const pages = streamOf([rowPage([{ id: "1" }, { id: "2" }])]);
    const [page] = await collect(writeLines(pages, { ...how, mapping: { plan, map } }));
    const records = page?.candidates.map((candidate) => recordOfCandidate(page, candidate));
    expect(records).toEqual(
      ["1", "2"].map((id) => ({
        ...recordOf(id),
        account_properties: { name: `name of ${id}` },
      })),
    );
  });

  it("writes each record as one line of JSON, with its key as text", async () => {
    const page = await named("two\nlines \u2028");
    const line =
      '{"type":"account","account_id":"7","domain":"a.example","account_properties":{"name":"two\\nlines \u2028"}}';
    expect(page.candidates.map(({ key }) => key)).toEqual(["7"]);
    expect(page.candidates.map((each) => lineOf(page, each).toString())).toEqual([line]);
    expect(page.candidates.jsonl.toString()).toBe(`${line}\n`);
  });

  it.each([
    ["xx", 2],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
  ])("counts bytes as sent: %s takes %i, and fits into no fewer", async (name, more) => {
    const [empty] = (await named("-")).candidates;
    const bytes = (empty?.end ?? 0) - 1 + more;
    for (const bytesMax of [bytes, bytes + 1]) {
      expect((await named(name, { bytesMax })).candidates).toHaveLength(1);
    }
    const page = await named(name, { bytesMax: bytes - 1 });
    expect(page.candidates).toHaveLength(0);
    expect(page.rejects).toMatchObject([{ place: "a.csv:2", code: "too_large", key: "7" }]);
    expect(page.rejects[0]?.reason).toContain(`has ${bytes} bytes`);
    expect(isBalanced(page)).toBe(true);
  });

  it("names the key of a reject where the row has one that a record could have", async () => {
    const fields = {
      account_id: { column: "id", as: "string" },
      domain: { column: "site", as: "domain" },
      account_properties: { staff: { column: "staff", as: "integer" } },
    } as const;
    const compiled = compileMapping({ mapping: fields, stream: "account" });
    const half = "\ud800";
    const rows = [
      { id: 1004, site: "not a domain", staff: 1 },
      { id: "1005", site: "a.example", staff: "many" },
      { id: "1006", site: "", staff: 1 },
      { id: "", site: "a.example", staff: 1 },
      { id: "", site: "not a domain", staff: 1 },
      { id: {}, site: "not a domain", staff: 1 },
      { id: half, site: "not a domain", staff: 1 },
      { id: half, site: "a.example", staff: 1 },
    ];
    const asked = { ...how, mapping: compiled };
    const [page] = await collect(writeLines(streamOf([rowPage(rows)]), asked));
    expect(page?.rejects.map(({ step, field, key }) => [step, field, key])).toEqual([
      ["map", "domain", "1004"],
      ["map", "account_properties.staff", "1005"],
      ["validate", "domain", "1006"],
      ["validate", "account_id", undefined],
      ["map", "domain", undefined],
      ["map", "account_id", undefined],
      ["map", "domain", undefined],
      ["validate", "account_id", undefined],
    ]);
  });

  it("keeps the records of a page while others use memory that was given back", async () => {
    const pages = numbers(60).map((page) => rowPage(idsOf(page).map((id) => ({ id }))));
    const held: RecordPage[] = [];
    let read = 0;
    for await (const page of writeLines(streamOf(pages), { ...how, mapping })) {
      held.push(page);
      // As when the keys of pages are judged while others are read.
      const oldest = held.length > 3 ? held.shift() : undefined;
      if (oldest === undefined) continue;
      const made = oldest.candidates.map((each) => lineOf(oldest, each).toString());
      expect(made).toEqual(idsOf(read).map((id) => JSON.stringify(recordOf(id))));
      oldest.release?.();
      read += 1;
    }
    expect(read).toBe(57);
  });

  it("has no limit unless one is set", async () => {
    expect((await named("x".repeat(2_000_000))).candidates).toHaveLength(1);
  });
});
