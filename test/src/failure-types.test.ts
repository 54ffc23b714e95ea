import { describe, expect, it } from "vitest";
import { z } from "zod";

import { wrongInput } from "../../src/failure-types.ts";

const heading = "the input of this workflow is wrong:\n";

describe("wrongInput", () => {
  it("names every mistake that a schema found, and gives an input to paste", () => {
    const { error = "" } = z.strictObject({ sync: z.string() }).safeParse({ sync: 1, sink: 2 });
    const [problem = "", example] = wrongInput(error, { sync: "accounts" }).split("\nTry:\n");
    expect(problem).toMatch(/^the input of this workflow is wrong:\n✖ /);
    expect(problem).toContain("at sync");
    expect(problem).toContain('"sink"');
    expect(example).toBe('{"sync":"accounts"}');
  });

  it("gives none where nobody types one", () => {
    expect(wrongInput("✖ wrong")).toBe(`${heading}✖ wrong`);
  });

  it.each([
    [1_999, 1_999],
    [2_000, 2_000],
    [2_001, 2_000],
  ])("says %i characters of a problem with %i of them", (length, said) => {
    const text = wrongInput("p".repeat(length), { sync: "a" });
    expect(text).toBe(`${heading}${"p".repeat(said)}\nTry:\n{"sync":"a"}`);
  });
});
