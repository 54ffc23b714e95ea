import { describe, expect, it } from "vitest";

import type { Mapped } from "../../../src/mapping/compile.ts";
import { mapRows } from "../../../src/pipeline/map.ts";
import type { MappedPage, RowPage } from "../../../src/pipeline/page.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { isBalanced, makeReject, rowPage } from "./support.ts";

const how = { stream: "account", keepRows: "keep", makeReject } as const;

/** Maps by what is in the row's `as`. */
const mapping = {
  map: ({ as: kind, id }: Readonly<Record<string, unknown>>): Mapped => {
    if (kind === "filtered") return null;
    if (kind === "broken") {
      return { reject: { code: "not_domain", field: "domain", reason: "is not a domain" } };
    }
    return { record: { account_id: id } };
  },
};

async function mapped(...pages: readonly RowPage[]): Promise<MappedPage[]> {
  return await collect(mapRows(streamOf(pages), mapping, how));
}

describe("mapRows", () => {
  it("makes of each row a record, a reject with its place, or nothing", async () => {
    const page = rowPage([
      { id: 1 },
      { id: 2, as: "filtered" },
      { id: 3, as: "broken" },
      { id: 4 },
    ]);
    const result = mapRows(streamOf([page]), mapping, how);
    for await (const each of result) {
      expect(isBalanced(each)).toBe(true);
      expect(each).toMatchObject({ source: page, read: 4, filtered: 1, unchanged: 0 });
      expect(each.records.map(({ record, index }) => [record["account_id"], index])).toEqual([
        [1, 0],
        [4, 3],
      ]);
      expect(each.rejects).toEqual([
        {
          stream: "account",
          place: "a.csv:4",
          step: "map",
          code: "not_domain",
          field: "domain",
          reason: "is not a domain",
          row: '{"id":3,"as":"broken"}',
        },
      ]);
    }
  });

  it("passes on what the connector could not read, and counts it as read", async () => {
    const rejects = [{ where: "a.csv:9", code: "ragged_row", reason: "has 2 columns", row: "1,2" }];
    expect(await mapped(rowPage([{ id: 1 }], { rejects }))).toMatchObject([
      { read: 2, rejects: [{ place: "a.csv:9", step: "read", code: "ragged_row", row: "1,2" }] },
    ]);
  });

  it("keeps pages in order, empty ones too", async () => {
    const pages = [rowPage([{ id: 1 }]), rowPage([]), rowPage([{ id: 2 }])];
    expect(await mapped(...pages)).toMatchObject([{ read: 1 }, { read: 0 }, { read: 1 }]);
  });
});
