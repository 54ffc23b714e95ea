import { describe, expect, it } from "vitest";

import {
  quoteForeign,
  readEnvelope,
  refusedRecords,
  saysCreditsExhausted,
} from "../../../src/api/envelope.ts";
import { foreignTextCharsMax } from "../../../src/api/limits.ts";

describe("readEnvelope", () => {
  it("reads a message and its details", () => {
    expect(readEnvelope('{"message":"slow down","details":"600 a minute"}').message).toBe(
      "slow down (600 a minute)",
    );
  });

  it("reads where a 422 points at, without its text and the value", () => {
    const issue = {
      loc: ["body", "data", 3, "domain"],
      msg: "acme is not a domain",
      type: "value_error",
      input: "acme",
    };
    expect(readEnvelope(JSON.stringify({ detail: [issue] }))).toEqual({
      issues: [{ loc: ["body", "data", 3, "domain"], type: "value_error" }],
    });
  });

  it("reads a detail that is a plain text", () => {
    expect(readEnvelope('{"detail":"not found"}').message).toBe("not found");
  });

  it("reads only the code of an object store's answer", () => {
    const xml =
      "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>secret</StringToSign></Error>";
    expect(readEnvelope(xml)).toEqual({ issues: [], storageCode: "SignatureDoesNotMatch" });
  });

  it.each(["", "<html>", "null", "[]", '{"detail":[{"loc":"body"}]}', '{"message":7}'])(
    "finds nothing in %j",
    (text) => {
      expect(readEnvelope(text)).toEqual({ issues: [], storageCode: undefined });
    },
  );
});

describe("saysCreditsExhausted", () => {
  it.each([
    ["credits exhausted", true],
    ["Your credits are used up", true],
    ["insufficient credit", true],
    ["rate limit exceeded", false],
    ["too many requests exhausted the pool", false],
    ["each call costs a credit", false],
  ])("judges %j as %j", (message, expected) => {
    expect(saysCreditsExhausted({ message, issues: [] })).toBe(expected);
  });

  it("looks into the details too", () => {
    const envelope = readEnvelope('{"message":"Too many requests","details":"credits exhausted"}');
    expect(saysCreditsExhausted(envelope)).toBe(true);
  });
});

function refused(...locs: (string | number)[][]): unknown {
  const issues = locs.map((loc) => ({ loc, type: "missing" }));
  return refusedRecords(issues, ["body", "data"], 10);
}

describe("refusedRecords", () => {
  it("names each record once, with the first field", () => {
    expect(
      refused(
        ["body", "data", 3, "account_properties", "name"],
        ["body", "data", 3, "domain"],
        ["body", "data", 9],
      ),
    ).toEqual([
      { index: 3, field: "account_properties.name" },
      { index: 9, field: undefined },
    ]);
  });

  it.each([
    ["no index", ["body", "data"]],
    ["another member", ["body", "stream"]],
    ["another place", ["query", "data", 3]],
    ["an index in words", ["body", "data", "3"]],
    ["half an index", ["body", "data", 1.5]],
    ["nothing", []],
  ])("names none for %s", (_, loc) => {
    expect(refused(loc)).toEqual([]);
  });

  it.each([
    [0, 1],
    [9, 1],
    [10, 0],
    [-1, 0],
  ])("with the index %i of ten records names %i of two", (index, count) => {
    const named = refused(["body", "data", 5], ["body", "data", index]);
    expect(named).toHaveLength(count * 2);
  });
});

describe("quoteForeign", () => {
  it.each([
    [foreignTextCharsMax - 1, foreignTextCharsMax - 1],
    [foreignTextCharsMax, foreignTextCharsMax],
    [foreignTextCharsMax + 1, foreignTextCharsMax + 1],
    [10_000_000, foreignTextCharsMax + 1],
  ])("keeps of %i characters %i, the mark of the cut included", (length, kept) => {
    expect(quoteForeign("x".repeat(length))).toHaveLength(kept);
  });

  it("escapes what could steer a terminal or a log", () => {
    expect(quoteForeign("a\r\n\u001b[31m\u202e\u2028\u0000z")).toBe(
      String.raw`a\u{d}\u{a}\u{1b}[31m\u{202e}\u{2028}\u{0}z`,
    );
  });

  it("leaves other languages alone", () => {
    expect(quoteForeign("Straße 東京 😀")).toBe("Straße 東京 😀");
  });
});
