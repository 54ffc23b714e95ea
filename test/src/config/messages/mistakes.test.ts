import { describe, expect, it } from "vitest";
import { z } from "zod";

import { checkData } from "../../../../src/config/messages/mistakes.ts";

const field = z.union([
  z.string(),
  z.strictObject({ column: z.string(), as: z.enum(["integer", "date"]).optional() }),
]);

function mistakes(schema: z.ZodType, data: unknown): readonly string[] {
  return checkData(schema, data).mistakes.map(
    ({ path, on, message }) => `${path.join(".")} (${on}): ${message}`,
  );
}

describe("checkData", () => {
  it("gives the output when nothing is wrong", () => {
    expect(checkData(z.object({ a: z.string().default("x") }), {})).toEqual({
      output: { a: "x" },
      mistakes: [],
    });
  });

  it.each([
    [z.object({ a: z.number() }), { a: "1" }, "a (value): must be a number, not text"],
    [z.object({ a: z.int() }), { a: 1.5 }, "a (value): must be a whole number"],
    [z.object({ a: z.boolean() }), { a: [] }, "a (value): must be true or false, not a list"],
    [z.object({ a: z.string() }), { a: {} }, "a (value): must be text, not a mapping"],
    [z.object({ a: z.string() }), { a: null }, "a (value): must be text, not empty"],
    [
      z.object({ a: z.array(z.string()) }),
      { a: ["", 1] },
      "a.1 (value): must be text, not a number",
    ],
    [z.object({ a: z.string() }), {}, 'a (name): "a" is missing'],
    [z.object({ a: field }), {}, 'a (name): "a" is missing'],
    [z.object({}), null, " (value): must be a mapping such as { name: value }, not empty"],
    [z.object({ a: z.literal(1) }), { a: 2 }, "a (value): must be 1"],
    [
      z.object({ a: z.enum(["one", "two"]) }),
      { a: "tow" },
      'a (value): must be one of one, two (did you mean "two"?)',
    ],
    [z.object({ a: z.int().min(1) }), { a: 0 }, "a (value): must be at least 1"],
    [z.object({ a: z.number().positive() }), { a: 0 }, "a (value): must be above 0"],
    [z.object({ a: z.number().max(9) }), { a: 10 }, "a (value): must be at most 9"],
    [z.object({ a: z.number().lt(9) }), { a: 9 }, "a (value): must be below 9"],
    [z.object({ a: z.number().multipleOf(2) }), { a: 3 }, "a (value): must be a multiple of 2"],
    [z.object({ a: z.string().min(1) }), { a: "" }, "a (value): must not be empty"],
    [
      z.object({ a: z.string().min(3) }),
      { a: "x" },
      "a (value): must be at least 3 characters long",
    ],
    [
      z.object({ a: z.array(z.string()).max(1) }),
      { a: ["", ""] },
      "a (value): must be at most 1 item long",
    ],
    [z.object({ a: z.email() }), { a: "x" }, "a (value): is not a valid email"],
    [z.object({ a: z.string().refine(() => false) }), { a: "" }, "a (value): is not allowed here"],
    [z.object({ a: z.string("own words") }), { a: 1 }, "a (value): own words"],
    [
      z.record(z.string().regex(/^a/, "must begin with a"), z.int()),
      { b: 1 },
      "b (name): must begin with a",
    ],
    [
      z.object({ a: field }),
      { a: 1 },
      "a (value): must be text or a mapping such as { name: value }, not a number",
    ],
    [
      z.object({ a: field }),
      { a: { column: "x", as: "dat" } },
      'a.as (value): must be one of integer, date (did you mean "date"?)',
    ],
    [
      z.object({ a: field }),
      { a: { colum: "x", column: "y" } },
      'a.colum (name): unknown member "colum" (did you mean "column"?)',
    ],
    [
      z.union([z.literal(false), z.string().length(1)]),
      "ab",
      " (value): must be at most 1 character long",
    ],
    [
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("one") }),
        z.object({ kind: z.literal("two") }),
      ]),
      { kind: "tw" },
      'kind (value): must be one of one, two (did you mean "two"?)',
    ],
  ] as const)("puts it in words, case %#", (schema, data, mistake) => {
    expect(mistakes(schema, data)).toEqual([mistake]);
  });

  it("finds the nearest name among the members at the place, through every wrapper", () => {
    const inner = z.strictObject({ records: z.int() }).prefault({ records: 1 }).describe("x");
    const node: z.ZodType = z.lazy(() =>
      z.strictObject({ label: z.string(), next: node }).partial(),
    );
    const schema = z.object({
      map: z.record(z.string(), z.strictObject({ chunk: inner.optional() })),
      list: z.array(z.strictObject({ name: z.string().optional() })),
      tree: node,
    });
    const data = {
      map: { x: { chunk: { record: 1, records: 2 } } },
      list: [{ nam: 1 }],
      tree: { next: { lable: "" } },
    };
    expect(mistakes(schema, data)).toEqual([
      'map.x.chunk.record (name): unknown member "record" (did you mean "records"?)',
      'list.0.nam (name): unknown member "nam" (did you mean "name"?)',
      'tree.next.lable (name): unknown member "lable" (did you mean "label"?)',
    ]);
  });

  it.each([
    ["page size", 'unknown member "page size" (did you mean "page_size"?)'],
    ["Page-Size", 'unknown member "Page-Size" (did you mean "page_size"?)'],
    [
      "page size5",
      'unknown member "page": a colon and a blank belong between a name and its value',
    ],
    ["page_size:5", 'unknown member "page_size": a colon and a blank belong between'],
  ])("takes no name with another separator for a value without its colon: %s", (name, message) => {
    const schema = z.strictObject({ page_size: z.int() });
    expect(mistakes(schema, { page_size: 1, [name]: 50 }).join("\n")).toContain(message);
  });

  it("never shows the value, which a variable may have brought", () => {
    const schema = z.object({ a: z.number(), b: z.enum(["x"]), c: z.url(), d: z.string().max(3) });
    const found = mistakes(schema, { a: "hunter2", b: "hunter2", c: "hunter2", d: "hunter2" });
    expect(found).toHaveLength(4);
    expect(found.join()).not.toContain("hunter2");
  });
});
