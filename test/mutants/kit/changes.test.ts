import { describe, expect, it } from "vitest";

import { changed, type Change } from "./change.ts";
import { operatorChanges } from "./operator-changes.ts";
import { sqlChanges } from "./sql-changes.ts";
import { structureChanges } from "./structure-changes.ts";
import { readCode, type Code } from "./tokens.ts";

function mutantsOf(text: string, changesOf: (code: Code) => readonly Change[]): readonly string[] {
  return changesOf(readCode(text)).map((change) => changed(text, change));
}

describe("operatorChanges", () => {
  it.each([
    ["if (a < b) c();", ["if (a <= b) c();", "if (a >= b) c();"]],
    ["a === b || !c", ["a !== b || !c", "a === b && !c", "a === b || c"]],
    ["rows.slice(1)", ["rows.slice(2)", "rows.slice(0)"]],
    ["x = a ?? b", ["x = a && b"]],
    ['x = a ?? ""', ['x = a ?? "?"']],
    ["rows.some(isNew)", ["rows.every(isNew)"]],
    ["total += size", ["total -= size"]],
  ])("makes mistakes in %s", (text, mutants) => {
    expect(mutantsOf(text, operatorChanges)).toEqual(mutants);
  });

  it.each([
    ["a text", 'x = "a < b && !true";'],
    ["a text with code in it", "x = `a < b ${name} || 1`;"],
    ["a comment", "// a < b\n/* !true */"],
    ["a regular expression", "x = /a < b || !1/;"],
    ["a type with brackets", "let x: Map<string, Row[]>;"],
    ["a large number", "export const bytesMax = 64_000;"],
  ])("leaves %s alone", (_, text) => {
    expect(mutantsOf(text, operatorChanges)).toEqual([]);
  });

  it("finds the code inside a text", () => {
    expect(mutantsOf("`${a ? `${b}` : c} < ${d && e}`", operatorChanges)).toEqual([
      "`${a ? `${b}` : c} < ${d || e}`",
    ]);
  });
});

describe("structureChanges", () => {
  it.each([
    [
      "leaves out",
      "{\n  await close();\n  x = [];\n}",
      ["{\n  ;\n  x = [];\n}", "{\n  await close();\n  ;\n}"],
    ],
    ["leaves out all of", "a();\nb(`${x}`, () => {\n  return 1;\n});", ["a();\n;"]],
    [
      "turns the condition of",
      "if (a(b)) return;",
      ["if (true) return;", "if (false) return;", "if (!(a(b))) return;"],
    ],
    ["turns the arguments of", "x = y.slice(a, f(b, c));", ["x = y.slice(f(b, c), a);"]],
    ["empties the list of", "x = [...a, b];", ["x = [];"]],
    ["empties the end of", "try {} finally { f() }", ["try {} finally {}"]],
  ])("%s %j", (_, text, mutants) => {
    const found = mutantsOf(text, structureChanges);
    expect(found.filter((mutant) => !mutant.startsWith(";"))).toEqual(mutants);
  });

  it.each([
    ["a declaration", "x;\nconst a = b();"],
    ["a member of an object", "x = {\n  a,\n  b: c(),\n};"],
    ["what is picked of a list", "x = a[0];"],
    ["what takes a list apart", "const [a] = b;"],
    ["a slice with one argument", "x = y.slice(a);"],
  ])("leaves %s alone", (_, text) => {
    expect(mutantsOf(text, structureChanges).filter((mutant) => !mutant.startsWith(";"))).toEqual(
      [],
    );
  });
});

describe("sqlChanges", () => {
  it("makes mistakes in statements, wherever values are in them", () => {
    expect(mutantsOf("x = `select 1 from ${t} where a > $1 and b limit 1`;", sqlChanges)).toEqual([
      "x = `select 1 from ${t} where a >= $1 and b limit 1`;",
      "x = `select 1 from ${t} where a > $1 or b limit 1`;",
      "x = `select 1 from ${t} where a > $1 and b limit 2`;",
      "x = `select 1 from ${t} where a > $1 and b limit 0`;",
    ]);
  });

  it("makes them in operators that stand alone", () => {
    expect(mutantsOf('edge({ whole: ">" })', sqlChanges)).toEqual(['edge({ whole: ">=" })']);
  });

  it("leaves texts for people alone", () => {
    expect(mutantsOf("x = `name the select and ${name} or join = it`;", sqlChanges)).toEqual([]);
  });
});
