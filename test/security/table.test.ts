import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { numbers } from "../support/sequences.ts";

/** The threats of the design's security page. */
const threats = numbers(22).map((index) => `T${index + 1}`);

const readme = new URL("README.md", import.meta.url);

/** The rows of the table: a threat, and the files that attack it. */
const rows = readFileSync(readme, "utf8")
  .split("\n")
  .filter((line) => /^\| T\d/.test(line))
  .map((line) => ({
    threat: /^\| (T\d+) +\|/.exec(line)?.[1] ?? "",
    files: [...line.matchAll(/\]\(([^)]+)\)/g)].map(([, file = ""]) => file),
  }));

describe("the table of attacks", () => {
  it("has one row for each threat, in their order", () => {
    expect(rows.map(({ threat }) => threat)).toEqual(threats);
  });

  it.each(rows)("names files that attack $threat", ({ threat, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(file).toMatch(/\.(?:test|prove)\.ts$/);
      const names = readFileSync(new URL(file, readme), "utf8").match(/\bt\d+\b/gi) ?? [];
      expect({ file, isNamed: names.some((name) => name.toUpperCase() === threat) }).toEqual({
        file,
        isNamed: true,
      });
    }
  });
});
