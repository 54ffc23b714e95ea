import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { readCode } from "./tokens.ts";

const root = resolve(import.meta.dirname, "../../..");

describe("readCode", () => {
  it("takes code apart", () => {
    const { tokens } = readCode("a.b(`x ${c / 2} y`, /[/]\\//g); // z");
    expect(tokens.map(({ text }) => text)).toEqual([
      "a",
      ".",
      "b",
      "(",
      "`x ${",
      "c",
      "/",
      "2",
      "} y`",
      ",",
      "/[/]\\//g",
      ")",
      ";",
    ]);
  });

  it("knows which brackets belong together, those of a text with several values too", () => {
    const { closings, openings } = readCode("f(`${a}${b}`)");
    expect([...closings]).toEqual([
      [2, 4],
      [4, 6],
      [1, 7],
    ]);
    expect(openings.get(4)).toBe(2);
  });

  it.each(["f(", "f)", "`${a"])("refuses %s", (text) => {
    expect(() => readCode(text)).toThrow(SyntaxError);
  });

  it("reads every connector", () => {
    const names = readdirSync(join(root, "connectors"), { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(20);
    for (const name of files) {
      const text = readFileSync(join(root, "connectors", name), "utf8");
      const { tokens } = readCode(text);
      // Only blanks and comments are left out.
      expect(tokens.every(({ start, end, text: own }) => text.slice(start, end) === own)).toBe(
        true,
      );
      expect(tokens.length).toBeGreaterThan(0);
    }
  });
});
