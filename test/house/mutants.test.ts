import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { applyEdit } from "../mutants/mutant.ts";
import { mutants } from "../mutants/table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cases = mutants.map((mutant) => ({ ...mutant, name: `${mutant.id}, ${mutant.plants}` }));

/** The number of mutants in docs/facts/faults.md#mutants. */
const mutantsOfFaultsMax = 28;

describe("the table of mutants", () => {
  it.each(cases)("can plant $name", ({ edits, test, whyProve }) => {
    for (const edit of edits) {
      const text = readFileSync(join(root, edit.file), "utf8");
      expect(applyEdit(text, edit)).not.toBe(text);
    }
    expect([test.file, existsSync(join(root, test.file))]).toEqual([test.file, true]);
    // `npm test` catches it, or the mutant says why not.
    expect(whyProve === undefined).toBe(test.file.endsWith(".test.ts"));
  });

  it("has each mutant from M1 to M28, and none twice", () => {
    const ids = new Set(mutants.map(({ id }) => id));
    const numbers = Array.from({ length: mutantsOfFaultsMax }, (_, index) => `M${index + 1}`);
    expect(numbers.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(mutants.length);
  });
});
