import { describe, expect, it } from "vitest";

import { advisingTable, table } from "../../../../src/cli/output/table.ts";

const rows = [
  ["run", "outcome", "sent or written", "what is wrong"],
  ["accounts-20261122-205644-c362ec14", "done_with_rejects", "1,234,567", "a text of some length"],
  ["c-1", "done", "2", ""],
];

describe("table()", () => {
  it("sets columns side by side, each as wide as its longest cell", () => {
    expect(table(rows.slice(0, 1).concat(rows.slice(2))).split("\n")).toEqual([
      "run  outcome  sent or written  what is wrong",
      "c-1  done     2",
    ]);
  });

  it("cuts texts where the terminal is too narrow, and neither ids nor numbers", () => {
    const [heading = "", first = ""] = table(rows, { width: 80 }).split("\n");
    expect(heading.length).toBeLessThanOrEqual(80);
    expect(first).toHaveLength(80);
    expect(first).toMatch(/^accounts-20261122-205644-c362ec14 {2}done.*… {2}1,234,567 .*…$/);
  });

  it("cuts no id that has no digit either", () => {
    const named = [
      ["name", "what is wrong"],
      ["accounts-of-all-the-countries", "a text of some length that has to be cut somewhere"],
    ];
    const [, line = ""] = table(named, { width: 50 }).split("\n");
    expect(line).toMatch(/^accounts-of-all-the-countries {2}.*…$/);
  });

  it("cuts no figure in a text, nor a time, and sets them below where they do not fit", () => {
    const status = [
      ["name", "last run", "rows", "what is wrong"],
      ["accounts", "2026-11-28 20:34 UTC", "read 12,000, sent 11,986", "a text of some length"],
    ];
    expect(table(status, { width: 72 }).split("\n")[1]).toBe(
      "accounts  2026-11-28 20:34 UTC  read 12,000, sent 11,986  a text of som…",
    );
    expect(table(status, { width: 60 }).split("\n")).toEqual([
      "accounts",
      "  last run 2026-11-28 20:34 UTC",
      "  rows read 12,000, sent 11,986",
      "  what is wrong a text of some length",
    ]);
  });

  it("sets what a row has below its name where no cut makes the columns fit", () => {
    const style = { outcome: (cell: string) => `<b>${cell}</b>` };
    expect(table(rows, { width: 60, style }).split("\n")).toEqual([
      "accounts-20261122-205644-c362ec14",
      "  outcome <b>done_with_rejects</b>  sent or written 1,234,567",
      "  what is wrong a text of some length",
      "c-1",
      "  outcome <b>done</b>  sent or written 2",
    ]);
    expect(table(rows, { width: 20 })).toContain("\n  sent or written 1,234,567\n");
  });

  it("dresses the cells of a column and not its heading, with the same widths", () => {
    const style = { outcome: (cell: string) => `<${cell}>` };
    expect(table([rows[0] ?? [], rows[2] ?? []], { style }).split("\n")).toEqual([
      "run  outcome  sent or written  what is wrong",
      "c-1  <done>     2",
    ]);
  });
});

describe("advisingTable()", () => {
  it("sets what to do below where it does not fit, and cuts nothing of it", () => {
    expect(advisingTable(rows, { width: 92 })).toBe(table(rows));
    const lines = advisingTable(rows, { width: 80 }).split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(`run${" ".repeat(32)}outcome            sent or written`);
    expect(lines[3]).toBe("accounts-20261122-205644-c362ec14: a text of some length");
  });
});
