import { describe, expect, it } from "vitest";

import { parseConfigDocument } from "../../../../src/config/document/document.ts";
import { configDepthMax, configValuesMax } from "../../../../src/config/limits.ts";
import { processorMs } from "../../../support/process/processor-time.ts";

const variables = new Map([["HOST", "db"]]);

function problems(text: string): readonly string[] {
  return parseConfigDocument(text, variables).problems.map(
    ({ offset, message }) => `${String(offset)} ${message}`,
  );
}

const noPair =
  "here is no `name: value`: the blank after a colon is missing, or a line has the wrong indentation";

describe("parseConfigDocument", () => {
  it("reads data and fills variables into text, but not into names and comments", () => {
    const text = "a: ${HOST}:1 # ${NONE}\n${HOST}: [1, 2.5, true, null, '${HOST}', \"$${HOST}\"]\n";
    const document = parseConfigDocument(text, variables);
    expect(document.problems).toEqual([]);
    expect(document.data).toEqual({ a: "db:1", "${HOST}": [1, 2.5, true, null, "db", "${HOST}"] });
  });

  it.each(["12345678901234567890", "01234", "-007", "1e999"])(
    "refuses the number %s, which would lose digits",
    (text) => {
      const document = parseConfigDocument(`list: { value: ${text} }`, variables);
      expect(document.problems).toEqual([
        { offset: 15, message: "would lose digits as a number: write it in quotes" },
      ]);
      expect(document.data).toEqual({ list: { value: Number(text) } });
    },
  );

  it("leaves zeros before a number in a file of tests, where a cell is the text that is written", () => {
    const document = parseConfigDocument("row: { id: 007 }");
    expect(document.problems).toEqual([]);
    expect(document.writtenAt(["row", "id"])).toBe("007");
  });

  it("reads numbers that lose nothing as they are", () => {
    const text = "[0, 0.5, -7, 0x1F, 1e3, 9007199254740991, 0.10, 0e0, .inf, '01234']";
    const { data, problems: found } = parseConfigDocument(`a: ${text}`, variables);
    expect(found).toEqual([]);
    expect(data).toEqual({
      a: [0, 0.5, -7, 31, 1000, 9007199254740991, 0.1, 0, Infinity, "01234"],
    });
  });

  it("keeps what a variable brings as text", () => {
    const document = parseConfigDocument("a: ${N}", new Map([["N", "7"]]));
    expect(document.data).toEqual({ a: "7" });
  });

  it("follows aliases", () => {
    expect(parseConfigDocument("a: &x { b: 1 }\nc: *x", variables).data).toEqual({
      a: { b: 1 },
      c: { b: 1 },
    });
  });

  it.each([
    ["a: ${NONE}", "3 variable NONE is not set"],
    ['a: "say ${HOST} and ${NONE}"', "20 variable NONE is not set"],
    ["a: $${NONE} ${", "12 must be ${NAME} or ${NAME:-default}; write $${ for a plain ${"],
    ["a: |\n  one\n  ${NONE}", "13 variable NONE is not set"],
    ["a: &x [ '${NONE}' ]\nb: *x", "9 variable NONE is not set"],
    ["a: 1\nb: 2\na: 3", '10 "a" is here twice'],
    ["a: { b: 1, b: 2 }", '11 "b" is here twice'],
    ["__proto__: 1", '0 "__proto__" cannot be a name'],
    ["a: *x", "3 no value before this has this mark: a text that begins with * needs quotes"],
    ["a: !env HOST", "3 a text that begins with ! needs quotes"],
    ['a: "b\\qc"', "5 a plain backslash in double quotes is written twice"],
    ["a: |bc", "4 block scalar header includes extra characters"],
    ['"b:c": 1\n"b:c": 2', "9 this name is here twice"],
    ["a: 1\n---\nb: 2", "5 a second document begins here; only one may be in the file"],
    ["? [a]\n: 1", "2 a name must be plain text"],
    ['a: "open', '8 missing closing "quote'],
    ["a:\n  b:1\n  c: 2", `5 ${noPair}`],
    ["\ta: 1", "0 tabs are not allowed as indentation"],
  ])("says of %j: %s", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it("keeps to YAML 1.2, whatever the file says", () => {
    const document = parseConfigDocument(
      "%YAML 1.1\n---\na: yes\nb: 2020-01-01\n<<: { c: 1 }",
      variables,
    );
    expect(document.data).toEqual({ a: "yes", b: "2020-01-01", "<<": { c: 1 } });
  });

  it.each([-1, 0, 1])("bounds the nesting at the limit %+i", (more) => {
    const depth = configDepthMax + more;
    const text = "[".repeat(depth + 1) + "]".repeat(depth + 1);
    expect(problems(text)).toEqual(more > 0 ? ["33 nested more than 32 levels deep"] : []);
  });

  it("refuses an alias that holds itself and nesting that no stack can hold", () => {
    expect(problems("a: &x { b: *x }")).toEqual(["6 nested more than 32 levels deep"]);
    expect(problems("[".repeat(100_000))).toEqual([
      expect.stringContaining("nested more than 32 levels deep"),
    ]);
  });

  it.each([-1, 0, 1])("bounds the number of values at the limit %+i", (more) => {
    // The list itself is a value too.
    const items = "1,".repeat(configValuesMax - 1 + more);
    expect(problems(`[${items}]`)).toEqual(more > 0 ? ["39999 more than 20000 values"] : []);
  });

  it("refuses aliases that grow without bound, once", () => {
    const lines = Array.from({ length: 20 }, (_, level) => {
      const inner = level === 0 ? "1" : `*x${String(level - 1)}`;
      return `a${String(level)}: &x${String(level)} [${Array(9).fill(inner).join(", ")}]`;
    });
    expect(problems(lines.join("\n"))).toEqual([expect.stringContaining("more than 20000 values")]);
  });

  it.each([
    ["names", Array.from({ length: 36_000 }, (_, index) => `${String(index)}: `).join("\n")],
    ["aliases", `a: &a 1\nb: [${"*a,".repeat(19_000)}]`],
  ])("reads many %s in linear time", (_, text) => {
    // Comparing each with each takes ten seconds and more.
    expect(processorMs(() => problems(text))).toBeLessThan(5_000);
  });

  it("takes an alias for the nearest value before it that has its mark", () => {
    const text = "- &a 1\n- &b { c: &a 2 }\n- &a 3\n- *b\n- *a\n";
    expect(parseConfigDocument(text, variables).data).toEqual([1, { c: 2 }, 3, { c: 2 }, 3]);
  });

  it("has no data when the syntax is broken", () => {
    const document = parseConfigDocument("a: [1\nb: 2", variables);
    expect(document.isReadable).toBe(false);
    expect(document.data).toBeUndefined();
  });
});

describe("offsetOf of a document", () => {
  const text = "a:\n  b: 1\n  c: [x, { d: }]\ne: &m { f: 2 }\ng: *m\nh: ${NONE}\n";
  const document = parseConfigDocument(text, variables);

  it.each([
    { what: "a scalar", path: ["a", "b"], on: "value", start: "1" },
    { what: "a scalar's name", path: ["a", "b"], on: "name", start: "b:" },
    { what: "a group, by its name", path: ["a"], on: "value", start: "a:" },
    { what: "an item", path: ["a", "c", 0], on: "value", start: "x" },
    { what: "an empty value, by its name", path: ["a", "c", 1, "d"], on: "value", start: "d:" },
    { what: "an alias", path: ["g"], on: "value", start: "*m" },
    { what: "a value after an alias", path: ["g", "f"], on: "value", start: "2" },
    {
      what: "the group around what is missing",
      path: ["a", "none", "deeper"],
      on: "value",
      start: "a:",
    },
    { what: "the top around what is missing", path: ["none"], on: "name", start: "a:" },
    {
      what: "the list around an item that is missing",
      path: ["a", "c", 9],
      on: "value",
      start: "c:",
    },
  ] as const)("finds $what", ({ path, on, start }) => {
    expect(document.offsetOf(path, on)).toBe(text.indexOf(start));
  });

  it("is undefined where a problem is known", () => {
    expect(document.offsetOf(["h"], "value")).toBeUndefined();
  });
});

describe("writtenAt of a document", () => {
  it("gives a text before variables are filled in", () => {
    const document = parseConfigDocument("a: { b: '${HOST}', c: [] }", variables);
    expect(document.writtenAt(["a", "b"])).toBe("${HOST}");
    expect(document.writtenAt(["a", "c"])).toBeUndefined();
    expect(document.writtenAt(["a", "b", "d"])).toBeUndefined();
  });
});
