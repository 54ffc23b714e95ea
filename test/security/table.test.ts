import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

/** The threats that concern what is built: all but those of the webhook receiver. */
const threats = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 19, 20, 21, 22].map(
  (number) => `T${number}`,
);

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
      expect(file).toMatch(/\.test\.ts$/);
      const names = readFileSync(new URL(file, readme), "utf8").match(/\bT\d+\b/g) ?? [];
      expect({ file, isNamed: names.some((name) => name === threat) }).toEqual({
        file,
        isNamed: true,
      });
    }
  });
});
