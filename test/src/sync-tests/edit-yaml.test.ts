import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { updatedText, yamlLine } from "../../../src/sync-tests/edit-yaml.ts";
import { trials } from "../../support/trials.ts";

/** The text with another value for `record` in the group at `cases.0`. */
function withRecord(text: string, value: unknown): string | undefined {
  return updatedText(text, [{ path: ["cases", 0], member: "record", value, instead: ["reject"] }]);
}

describe("a YAML file with other values", () => {
  it.each([
    [
      "a value in a block, its comment and its quotes",
      "cases:\n- record: # whole\n    a: 'x' # why\n\n    b: 1\n",
      { a: "y", b: 1 },
      "cases:\n- record: # whole\n    a: y # why\n\n    b: 1\n",
    ],
    [
      "a member that is gone, the comment before it stays",
      "cases:\n  - record:\n      a: 1\n      # of b\n      b:\n        - 1\n      c: 2\n  - x\n",
      { a: 1, c: 2 },
      "cases:\n  - record:\n      a: 1\n      # of b\n      c: 2\n  - x\n",
    ],
    [
      "a member that is new, behind the last and its comment",
      "cases:\n  - record:\n      a: 1 # one\n    name: x\n",
      { a: 1, b: [1, 2] },
      "cases:\n  - record:\n      a: 1 # one\n      b: [ 1, 2 ]\n    name: x\n",
    ],
    [
      "one that is gone and one that is new",
      "cases:\n  - record:\n      a: 1\n      b: 2",
      { a: 1, c: "3" },
      'cases:\n  - record:\n      a: 1\n      c: "3"\n',
    ],
    ["every member", "cases:\n  - record:\n      a: 1\n", {}, "cases:\n  - record:\n      {}\n"],
    [
      "a group on one line",
      "cases: [{ record: { a: 1, b: {} }, name: x }] # end\n",
      { a: 1, b: { c: null }, d: true },
      "cases: [{ record: { a: 1, b: { c: null }, d: true }, name: x }] # end\n",
    ],
    [
      "a member of a group on one line that is gone",
      "cases: [{ record: { a: 1, b: {} } }]\n",
      { b: {} },
      "cases: [{ record: { b: {} } }]\n",
    ],
    [
      "another kind of outcome, where the old one stood",
      "cases:\n  - row: {}\n    reject:\n      code: x # why\n    name: y\n",
      { a: "" },
      'cases:\n  - row: {}\n    record: { a: "" } # why\n    name: y\n',
    ],
    [
      "an outcome where there was none",
      "cases:\n  - row:\n      a: |\n        text\n\n  - x\n",
      { a: "text\n" },
      'cases:\n  - row:\n      a: |\n        text\n    record: { a: "text\\n" }\n\n  - x\n',
    ],
  ])("changes %s", (...[, text, value, expected]) => {
    expect(withRecord(text, value)).toBe(expected);
  });

  it("says of a list with more and with fewer items only what is new and gone", () => {
    const text =
      "cases:\n  - expect:\n      # first\n      - filtered: true\n      - reject: b # second\n";
    const path = ["cases", 0];
    const change = (value: unknown): string | undefined =>
      updatedText(text, [{ path, member: "expect", value, instead: [] }]);
    expect(change([{ filtered: true }])).toBe(text.replace(/ *- reject.*\n/, ""));
    expect(change([{ filtered: true }, { reject: "c" }, { record: {} }])).toBe(
      `${text.replace("reject: b", "reject: c")}      - record: {}\n`,
    );
  });

  it("is given up where an anchor would change something else", () => {
    const text = "cases:\n  - record: &r { a: 1 }\n  - record: *r\n";
    expect(withRecord(text, { a: 2 })).toBeUndefined();
  });

  const value = fc
    .jsonValue({ maxDepth: 3 })
    // A test cannot hold a number with more digits than JSON carries.
    .map((json): unknown =>
      JSON.parse(JSON.stringify(json), (_, one: unknown) =>
        typeof one === "number" ? Math.round(one % 1e9) / 1_000 : one,
      ),
    );
  const member = fc.string({ unit: "binary" }).filter((name) => name !== "__proto__");
  const group = fc.dictionary(member, value, { noNullPrototype: true, maxKeys: 5 });

  it("says of any values what is wanted, in blocks and on one line, or is given up", () => {
    fc.assert(
      fc.property(
        group,
        group,
        fc.tuple(fc.boolean(), fc.boolean()),
        (old, wanted, [isFlow, isNew]) => {
          const first = isNew ? { row: old } : { row: old, record: old };
          const file = { cases: [first, { name: "next" }] };
          const text = stringify(file, isFlow ? { collectionStyle: "flow" } : {});
          const updated = withRecord(text, wanted);
          // Skips texts that are not updated; if there are too many, fast-check reports it.
          fc.pre(updated !== undefined);
          expect(parse(updated)).toEqual({
            cases: [{ row: old, record: wanted }, { name: "next" }],
          });
        },
      ),
      { numRuns: trials(50) },
    );
  });

  it("writes any value on one line", () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(parse(`{ a: ${yamlLine(any)}, b: 1 }`)).toEqual({ a: any, b: 1 });
        expect(yamlLine(any)).not.toContain("\n");
      }),
      { numRuns: trials(50) },
    );
  });
});
