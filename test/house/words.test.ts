import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { expect, it } from "vitest";

import { habits, migrations, printedHabits, replaced, retired } from "./patterns.ts";

const root = resolve(import.meta.dirname, "../..");
const folders = ["src", "activities", "workflows", "connectors", "testing", "templates", "docs"];

/** Files below some folders, as paths from the root. */
function filesIn(names: readonly string[], ending: RegExp): readonly string[] {
  return names.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map(({ parentPath, name }) => relative(root, join(parentPath, name))),
  );
}

// docs/proof/ quotes measurements as they were printed; the glossary has the old words.
const files = filesIn(folders, /\.(?:ts|md)$/).filter(
  (file) => !file.startsWith("docs/proof/") && file !== "docs/words.md",
);

/** The places where a pattern is found, by file and line. */
function hitsOf(
  pattern: RegExp,
  read: readonly string[],
  lineOf = (line: string) => line,
): string[] {
  return read.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const [hit] = pattern.exec(lineOf(line)) ?? [];
        return hit === undefined ? [] : [`${file}:${index + 1}: ${hit}`];
      }),
  );
}

it.each([
  ["a word of its own where the field has one", retired],
  ["a word that was replaced", replaced],
  ["a habit of another language", habits],
])("nobody reads %s", (_what, pattern) => {
  const read = [...files, "README.md", "CONTRIBUTING.md"].filter(
    (file) => pattern !== replaced || !migrations.test(file),
  );
  expect(hitsOf(pattern, read)).toEqual([]);
});

/** The comment of a line, without its marks; empty if it has none. */
function commentOf(line: string): string {
  const [comment = ""] = /^\s*(?:\/?\*|\/\/).*|\s\/\/ .*$/.exec(line) ?? [];
  return comment.replace(/^\s*(?:\/\*\*|\*|\/\/) ?/, "| ");
}

it("is in plain English: what the program prints, its comments, and the pages", () => {
  const pages = [...files.filter((file) => file.endsWith(".md")), "README.md", "CONTRIBUTING.md"];
  const code = files.filter((file) => file.endsWith(".ts"));
  expect(hitsOf(printedHabits, [...code, ...pages])).toEqual([]);
  expect(hitsOf(printedHabits, code, commentOf)).toEqual([]);
});

it("has comments in plain English beside the product, too", () => {
  const beside = filesIn(["test", "bench", "prove", "tools", "examples"], /\.(?:ts|mjs)$/).filter(
    // These name the habits.
    (file) => file !== "test/house/patterns.ts",
  );
  expect(hitsOf(printedHabits, beside, commentOf)).toEqual([]);
});

it.each([
  ["it is no JSON", true],
  ["it is not JSON, and there is no file of it, which is no longer needed", false],
  ["nobody is told of it", true],
  ["tell its operator", false],
  ["It ends. Of a pull it says less", true],
  ["a run of a pull. One of them ends", false],
  ["what was accepted stays committed", true],
  ["it says what was accepted; what is wrong → what to do", false],
  ["its key stands twice in it", true],
  ["`sluice` stands for the program", false],
  ["Is the first line a row, name the columns", true],
  ["a result has not the shape", true],
])("knows plain English from other habits: %s", (text, isFound) => {
  expect(printedHabits.test(text)).toBe(isFound);
});
