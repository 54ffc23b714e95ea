import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { exportedName } from "./patterns.ts";

const root = resolve(import.meta.dirname, "../..");
const product = ["src", "activities", "workflows", "connectors", "testing"];
const others = ["test", "bench", "prove", "tools", "templates", "examples"];

/** The maximum number of files in a folder; a reader finds a file by its name, not by reading a list. */
const filesMax = 20;

/** Folders with more, and why. */
const larger: Readonly<Record<string, string>> = {
  "connectors/postgres": "the files that every connector has, and the SQL in a folder of its own",
  "test/connectors/postgres": "it mirrors connectors/postgres",
  "test/kit/harnesses": "tables of cases, each a page long, sorted by their names",
  "test/mutants/table": "one table, cut by subject because a file has 300 lines at most",
};

/** Files with our own code below a folder, as paths from the root. */
function codeIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((file) => !file.includes("node_modules"));
}

const productFiles = product.flatMap(codeIn);

describe("the rooms of the house", () => {
  it("have twenty files at most, or a reason", () => {
    const counts = Map.groupBy([...productFiles, ...others.flatMap(codeIn)], dirname);
    const large = [...counts].filter(([, files]) => files.length > filesMax).map(([name]) => name);
    expect(large.toSorted()).toEqual(Object.keys(larger).toSorted());
  });

  it("leave ten files loose in src", () => {
    const loose = readdirSync(join(root, "src"), { withFileTypes: true });
    expect(loose.filter((entry) => entry.isFile()).length).toBeLessThanOrEqual(10);
  });
});

/** Maximum characters of a line, in code, comments and tests. */
const lineCharsMax = 120;

it("no line is longer than a screen is wide", () => {
  const found = [...productFiles, ...others.flatMap(codeIn)]
    .filter((file) => !file.includes("fixtures"))
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, index) =>
          line.length > lineCharsMax ? [`${file}:${index + 1}: ${line.length}`] : [],
        ),
    );
  expect(found).toEqual([]);
});

describe("an exported name", () => {
  it("has one meaning in the whole product", () => {
    const names = new Map<string, Set<string>>();
    for (const file of productFiles) {
      for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(exportedName)) {
        names.set(name, (names.get(name) ?? new Set()).add(file));
      }
    }
    const doubles = [...names].filter(([, files]) => files.size > 1);
    expect(doubles.map(([name, files]) => `${name}: ${[...files].join(", ")}`)).toEqual([]);
  });
});
