import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { isFresh, readRows } from "./page.ts";
import { mutants } from "./table.ts";
import { codeOf } from "./tried-code.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("docs/proof/mutants.md says of each planted bug that it is caught, in the code as it is", async () => {
  const rows = readRows(await readFile(join(root, "docs/proof/mutants.md"), "utf8"));
  const codes = await Promise.all(mutants.map(async (mutant) => await codeOf(root, mutant)));
  const stale = mutants.filter(({ id }, index) => !isFresh(rows.get(id), codes[index] ?? ""));
  expect(
    stale.map(({ id }) => id),
    "`npm run mutants -- --stale` tries these again",
  ).toEqual([]);
});
