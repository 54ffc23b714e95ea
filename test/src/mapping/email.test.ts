import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { emailOf } from "../../../src/mapping/email.ts";
import { emailCharsMax, emailLocalCharsMax } from "../../../src/mapping/limits.ts";

/** An address of this many characters. */
function emailOfLength(length: number): string {
  const labels = `${"a".repeat(50)}.`.repeat(4);
  return `${"b".repeat(length - labels.length - "@com".length)}@${labels}com`;
}

describe("emailOf", () => {
  it.each([
    "ada@example.com",
    "Ada.Lovelace+news@Example.COM",
    "o'brien@example.co.uk",
    "用户@例え.jp",
    "joe@müller.de",
    "a/b#c@example.com",
    "a@b@example.com".replace("@b", "_b"),
  ])("takes %s as it is", (text) => {
    expect(emailOf(text)).toBe(text);
  });

  it.each([
    "ada",
    "@example.com",
    "ada@",
    "ada@localhost",
    "ada@1.2.3.4",
    "ada@[1.2.3.4]",
    "ada@example.com/path",
    "ada@example.com:25",
    "ada@example.com#",
    "ada@ example.com",
    "ada lovelace@example.com",
    "Ada <ada@example.com>",
    "ada@example.com, bob@example.com",
    "ada@example.com;bob@example.com",
    "ada@bob@example.com",
    "mailto:ada@example.com",
    "ada\n@example.com",
    "ada\u0000@example.com",
    "ada\ud800@example.com",
    7,
    {},
  ])("refuses %j", (value) => {
    expect(emailOf(value)).toMatchObject({ code: "not_email" });
  });

  it("bounds the length of the address", () => {
    const lengths = [emailCharsMax - 1, emailCharsMax, emailCharsMax + 1];
    const emails = lengths.map(emailOfLength);
    expect(emails.map((email) => email.length)).toEqual(lengths);
    expect(emails.map((email) => typeof emailOf(email))).toEqual(["string", "string", "object"]);
  });

  it("bounds the length before the @", () => {
    const results = [emailLocalCharsMax - 1, emailLocalCharsMax, emailLocalCharsMax + 1].map(
      (length) => typeof emailOf(`${"a".repeat(length)}@example.com`),
    );
    expect(results).toEqual(["string", "string", "object"]);
  });

  it("takes every ordinary address", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(emailOf(email)).toBe(email);
      }),
    );
  });
});
