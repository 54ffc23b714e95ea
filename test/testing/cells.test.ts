import { describe, expect, it } from "vitest";

import {
  doubledQuote,
  otherCell,
  nullCell,
  notAscii,
  type Cells,
} from "../../src/records/cells.ts";
import { mustTellTheRows } from "../../testing/cells.ts";
import { pullChecks } from "../../testing/checks/index.ts";
import { rightAbilities } from "../broken-connectors/right.ts";
import { resultOf } from "../kit/result-of.ts";

const columns = ["id", "text", "size"];
const rows = [
  { id: "k1", text: 'say "ü"', size: 5 },
  { id: "k2", text: null, size: null },
  { id: "k3", text: "", size: "7" },
];

/** The cells of the rows as they should be, or with this change. */
function cellsOf(change: Partial<Cells> = {}): Cells {
  const texts = ["k1", 'say ""ü""', "?", "k2", "", "", "k3", "", "7"];
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const ends = sizes.map((_, cell) =>
    sizes.slice(0, cell + 1).reduce((sum, size) => sum + size, 0),
  );
  return {
    columns,
    count: rows.length,
    bytes: Buffer.from(texts.join("")),
    starts: Int32Array.from(ends, (end, cell) => end - (sizes[cell] ?? 0)),
    ends: Int32Array.from(ends),
    flags: Uint8Array.of(0, notAscii | doubledQuote, otherCell, 0, nullCell, nullCell, 0, 0, 0),
    quote: 0x22,
    row: (index) => rows[index] ?? {},
    ...change,
  };
}

function flagged(cell: number, flag: number): Cells {
  const flags = Uint8Array.from(cellsOf().flags);
  flags[cell] = flag;
  return cellsOf({ flags });
}

function altered(at: number, byte: number): Cells {
  const bytes = Buffer.from(cellsOf().bytes);
  bytes[at] = byte;
  return cellsOf({ bytes });
}

describe("the cells of a page in the kit", () => {
  it("may be texts, nulls, and what is no text", () => {
    expect(() => mustTellTheRows(cellsOf(), rows)).not.toThrow();
  });

  it.each([
    ["a row too few", cellsOf({ count: 2 }), "cells of 3 rows"],
    ["a column too few", cellsOf({ columns: ["id", "text"] }), "none of size"],
    ["a column twice", cellsOf({ columns: ["id", "text", "text"] }), "one twice"],
    ["another row", cellsOf({ row: () => ({ ...rows[0], text: "other" }) }), "another text"],
    ["another text", altered(1, 0x32), "hold what the row holds in id"],
    ["bytes that are not UTF-8", altered(1, 0xff), "cells in UTF-8, also in id"],
    ["a letter outside ASCII unflagged", flagged(1, doubledQuote), "`notAscii`"],
    ["a quote twice unflagged", flagged(1, notAscii), "in text"],
    ["a number as a text", flagged(2, 0), "`otherCell`"],
    ["null as an empty text", flagged(4, 0), "in text"],
    ["an empty text as null", flagged(7, nullCell), "in text"],
    [
      "cells before one another",
      cellsOf({ starts: cellsOf().ends, ends: cellsOf().starts }),
      "order",
    ],
  ])("are refused with %s", (_, cells, said) => {
    expect(() => mustTellTheRows(cells, rows)).toThrow(said);
  });

  it("are compared with the rows wherever a check reads", async () => {
    const wrong = await resultOf(pullChecks, "R2", {
      changes: {
        async *read(request) {
          for await (const page of rightAbilities.read(request)) {
            yield { ...page, cells: cellsOf({ count: page.rows.length + 1 }) };
          }
        },
      },
    });
    expect(wrong.state).toBe("failed");
    expect(wrong.text).toMatch(/^expected cells of 7 rows, as the page has; came of 8\./);
  });
});
