import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonAt, jsonParts } from "../../../connectors/webhook/json-parts.ts";

/** JSON as someone else might write it: with blanks between the tokens. */
const spaced = fc
  .tuple(fc.jsonValue({ depthSize: "medium" }), fc.constantFrom(undefined, 1, "\t", "\n \r\n"))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));

const blank = fc.stringMatching(/^[ \t\r\n]*$/);

/** Any text, with unpaired surrogates and with every character escaped or not. */
const anyString = fc
  .tuple(fc.string({ unit: "binary" }), fc.boolean())
  .map(([text, isEscaped]) =>
    isEscaped
      ? `"${text.replaceAll(/[^]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`
      : JSON.stringify(text),
  );

describe("jsonParts", () => {
  it("cuts a list into the very texts of its elements", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(spaced, anyString)), blank, (elements, space) => {
        const list = elements.map((element) => space + element + space).join(",");
        const parts = [...jsonParts(`${space}[${space}${list}${space}]${space}`)];
        expect(parts).toEqual(elements.map((json) => ({ key: undefined, json })));
      }),
    );
  });

  it("cuts an object into the very texts of its members", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyString, fc.oneof(spaced, anyString))),
        blank,
        (members, space) => {
          const list = members.map(([key, json]) => [key, ":", json].join(space)).join(`${space},`);
          const parts = [...jsonParts(`{${space}${list}${space}}`)];
          expect(parts).toEqual(
            members.map(([key, json]) => ({ key: JSON.parse(key) as unknown, json })),
          );
        },
      ),
    );
  });

  it("keeps of a list what JSON.parse reads in it", () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const value: unknown = JSON.parse(text);
        const parts = [...jsonParts(text)].map(({ json }): unknown => JSON.parse(json));
        const isGroup = typeof value === "object" && value !== null;
        expect(parts).toEqual(isGroup ? Object.values(value) : []);
      }),
    );
  });

  it.each(["[]", "{}", " [ \n ] ", "{\t}", "null", "1", '"[1]"', '"{"'])(
    "finds no part in %j",
    (text) => {
      expect([...jsonParts(text)]).toEqual([]);
    },
  );

  it("keeps the digits that a double has not", () => {
    expect([...jsonParts("[9007199254740993, 0.10, 1E400,-0]")].map(({ json }) => json)).toEqual([
      "9007199254740993",
      "0.10",
      "1E400",
      "-0",
    ]);
  });

  it("is not misled by what is in texts", () => {
    const parts = [...jsonParts(String.raw`["],[", "\"]", "\\", {"a,":"}"}, "\\\"["]`)];
    expect(parts.map(({ json }) => json)).toEqual([
      '"],["',
      String.raw`"\"]"`,
      String.raw`"\\"`,
      '{"a,":"}"}',
      String.raw`"\\\"["`,
    ]);
  });

  it("goes as deep as a text does", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect([...jsonParts(deep)]).toEqual([{ key: undefined, json: deep.slice(1, -1) }]);
  });
});

describe("jsonAt", () => {
  // The document and the pointers of RFC 6901, section 5.
  const document = String.raw`{
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
  }`;

  it.each([
    ["", document],
    ["/foo", '["bar", "baz"]'],
    ["/foo/0", '"bar"'],
    ["/", "0"],
    ["/a~1b", "1"],
    ["/c%d", "2"],
    ["/e^f", "3"],
    ["/g|h", "4"],
    ["/i\\j", "5"],
    ['/k"l', "6"],
    ["/ ", "7"],
    ["/m~0n", "8"],
  ])("finds what %j names in the document of the RFC", (pointer, expected) => {
    expect(jsonAt(document, pointer)).toBe(expected);
  });

  it.each([
    "/bar",
    "/foo/2",
    "/foo/00",
    "/foo/-1",
    "/foo/-",
    "/foo/0/0",
    "/foo/length",
    "/__proto__",
    "/toString",
  ])("finds nothing at %s", (pointer) => {
    expect(jsonAt(document, pointer)).toBeUndefined();
  });

  it("reads ~01 as ~1, and not as a slash", () => {
    expect(jsonAt('{"~1": 1, "/": 2}', "/~01")).toBe("1");
  });

  it("takes the last of members of one name, as JSON.parse does", () => {
    expect(jsonAt(String.raw`{"id": 1, "\u0069d": 2}`, "/id")).toBe("2");
  });
});
