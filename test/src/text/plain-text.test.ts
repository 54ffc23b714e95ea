import { describe, expect, it } from "vitest";

import { plainJson, plainText } from "../../../src/text/plain-text.ts";

/** Every kind of character that controls a terminal or a reader: controls, direction marks, line separators. */
const steering = [
  "\0",
  "\t",
  "\n",
  "\r",
  "\u001b",
  "\u007f",
  "\u009b",
  "\u061c",
  "\u200e",
  "\u202e",
  "\u2069",
  "\u2028",
];

describe("plainText", () => {
  it.each(steering)("puts a blank in the place of %j", (character) => {
    expect(plainText(`a${character}b`)).toBe("a b");
  });

  it.each(["Société", "株式会社", "👩‍💻", "می‌خواهم", "a\u00adb"])("leaves %s as it is", (text) => {
    expect(plainText(text)).toBe(text);
  });
});

describe("plainJson", () => {
  it.each(steering)("escapes %j and reads as the same value", (character) => {
    const value = { [character]: [character, 1] };
    expect(plainText(plainJson(value))).toBe(plainJson(value));
    expect(JSON.parse(plainJson(value))).toEqual(value);
  });

  it.each([null, 1.5, "株式会社", { a: [true] }])(
    "is what JSON.stringify writes of %j",
    (value) => {
      expect(plainJson(value)).toBe(JSON.stringify(value));
    },
  );
});
