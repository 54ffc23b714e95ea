import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";

import {
  makeCompanies,
  makeFewCompanies,
} from "../../../examples/csv-to-accounts/make-companies.ts";

const folder = new URL("../../../examples/csv-to-accounts/", import.meta.url);
const committed = (name: string): string =>
  readFileSync(fileURLToPath(new URL(name, folder)), "utf8");

/** The rows as parsed by csv-parse, independently; the first is the header. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return parse(text, { relax_column_count: true });
}

describe("makeCompanies", () => {
  const { text, broken } = makeCompanies();

  it("makes the committed companies.csv, byte for byte", () => {
    expect(text === committed("companies.csv")).toBe(true);
  });

  it("makes 12,000 rows, two of them ragged and two with the id of another", () => {
    const [header = [], ...rows] = rowsOf(text);
    expect(rows).toHaveLength(12_000);
    expect(rows.filter((row) => row.length !== header.length)).toHaveLength(2);
    // One row has no id: 12,000 less two that repeat one.
    expect(new Set(rows.map(([id]) => id)).size).toBe(11_998);
  });

  it("knows the line on which each broken row begins, and so does the README", () => {
    const lines = text.split("\n");
    const readme = [...committed("README.md").matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)];
    expect(readme.map(([, line, why]) => ({ line: Number(line), why }))).toEqual(broken);
    const begins = (why: string): string | undefined =>
      lines[(broken.find((row) => row.why === why)?.line ?? 0) - 1];
    expect(begins("an IP address as website")).toContain(",192.0.2.17,");
    expect(begins("no id")).toMatch(/^,/);
    expect(begins("the id of the first row again")).toMatch(/^0000001,/);
    expect(begins("a revenue in words")).toContain(",2 million,");
  });

  it("holds what makes CSV hard", () => {
    const fields = rowsOf(text).flat();
    for (const sign of ["\n", '"', ",", "ü", "東京"]) {
      expect(fields.filter((field) => field.includes(sign)).length).toBeGreaterThan(100);
    }
    expect(text).toContain('""');
  });

  it("names only hosts that nobody can own", () => {
    const hosts = text.match(/[\w-]+\.[a-z]+(?=[/:",\s])/gi) ?? [];
    expect(hosts.length).toBeGreaterThan(11_000);
    expect(hosts.filter((host) => !/\.example$/i.test(host) && !/^\d+\.\d+$/.test(host))).toEqual(
      [],
    );
  });
});

describe("makeFewCompanies", () => {
  it("makes the committed companies-small.csv, byte for byte: 300 rows without a fault", () => {
    const { text, broken } = makeFewCompanies();
    expect(text === committed("companies-small.csv")).toBe(true);
    expect(broken).toEqual([]);
    const [header = [], ...rows] = rowsOf(text);
    expect(rows).toHaveLength(300);
    expect(new Set(rows.map(([id]) => id)).size).toBe(300);
    expect(rows.every((row) => row.length === header.length)).toBe(true);
  });
});
