import { describe, expect, it } from "vitest";

import { canonicalJson, sha256 } from "../../../src/config/hash.ts";
import { Secret } from "../../../src/security/secret.ts";

describe("sha256", () => {
  it("gives hex of text and of its UTF-8 bytes alike", () => {
    const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(sha256("abc")).toBe(hash);
    expect(sha256(Buffer.from("abc"))).toBe(hash);
  });
});

describe("canonicalJson", () => {
  it("does not depend on the order of members", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"é","d":null}]}',
    );
  });

  it("leaves out undefined members and what a secret holds", () => {
    expect(canonicalJson({ a: undefined, b: new Secret("hunter2") })).toBe('{"b":"[secret]"}');
  });

  it.each([
    ["a function", () => 1],
    ["a class instance", new Map([["a", 1]])],
    ["not a number", NaN],
    ["undefined", undefined],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalJson({ list: [{ value }, value ?? (() => 1)] })).toThrow(TypeError);
  });
});
