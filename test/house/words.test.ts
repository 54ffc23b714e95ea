import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { expect, it } from "vitest";

import { habits, migrations, replaced, retired } from "./patterns.ts";

const root = resolve(import.meta.dirname, "../..");
const folders = ["src", "activities", "workflows", "connectors", "testing", "templates", "docs"];

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|md)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    // What was measured is quoted as it was printed; the glossary has the old words.
    .filter((file) => !file.startsWith("docs/proof/") && file !== "docs/words.md"),
);

it.each([
  ["a word of its own where the field has one", retired],
  ["a word that was replaced", replaced],
  ["a habit of another language", habits],
])("nobody reads %s", (_what, pattern) => {
  const read = [...files, "README.md", "CONTRIBUTING.md"].filter(
    (file) => pattern !== replaced || !migrations.test(file),
  );
  const found = read.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const [hit] = pattern.exec(line) ?? [];
        return hit === undefined ? [] : [`${file}:${index + 1}: ${hit}`];
      }),
  );
  expect(found).toEqual([]);
});
