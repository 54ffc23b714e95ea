import { describe, expect, it } from "vitest";

import { configError } from "../../../../src/config/messages/problems.ts";

function show(text: string, ...offsets: readonly number[]): string {
  const problems = offsets.map((offset) => ({ offset, message: "is wrong" }));
  return configError({ name: "sluice.yaml", text }, problems).message;
}

describe("configError", () => {
  it("shows the line and puts the caret under the column", () => {
    expect(show("a: 1\nb: two\n", 8)).toBe("sluice.yaml:2:4: is wrong\n  b: two\n     ^");
  });

  it.each([
    ["", 0, "sluice.yaml:1:1: is wrong\n  \n  ^"],
    ["\na", 0, "sluice.yaml:1:1: is wrong\n  \n  ^"],
    ["\na", 1, "sluice.yaml:2:1: is wrong\n  a\n  ^"],
    ["a: b", 4, "sluice.yaml:1:5: is wrong\n  a: b\n      ^"],
    ["a:\r\n  b\r\n", 6, "sluice.yaml:2:3: is wrong\n    b\n    ^"],
  ])("finds the line in %j", (text, offset, expected) => {
    expect(show(text, offset)).toBe(expected);
  });

  it("lists problems by their place, and the same one once", () => {
    expect(show("a\nb\nc", 4, 0, 4).match(/^sluice.*$/gm)).toEqual([
      "sluice.yaml:1:1: is wrong",
      "sluice.yaml:3:1: is wrong",
    ]);
  });

  it("cuts a long line around the column", () => {
    const [, line, caret] = show(`${"x".repeat(500)}!${"y".repeat(500)}`, 500).split("\n");
    expect(line).toHaveLength(122);
    expect(line?.[caret?.indexOf("^") ?? 0]).toBe("!");
  });

  it("shows no character that would move the caret or the terminal", () => {
    expect(show("\ta\u001b[31m\u202e!", 8)).toBe(
      "sluice.yaml:1:9: is wrong\n   a [31m !\n          ^",
    );
  });

  it.each([
    [99, undefined],
    [100, undefined],
    [101, "sluice.yaml: and 1 more problems"],
  ])("shows at most a hundred of %i problems", (count, more) => {
    const offsets = Array.from({ length: count }, (_, index) => index);
    const message = show("x".repeat(count), ...offsets);
    expect(message.match(/is wrong/g)).toHaveLength(Math.min(count, 100));
    expect(/^.* more problems$/m.exec(message)?.[0]).toBe(more);
  });

  it("names the field of the first problem", () => {
    const problems = [
      { offset: 3, message: "x", field: "second" },
      { offset: 1, message: "x", field: "first" },
    ];
    expect(configError({ name: "f", text: "abcd" }, problems).field).toBe("first");
  });
});
