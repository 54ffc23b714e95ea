import { describe, expect, it } from "vitest";

import { closest, didYouMean } from "../../../../src/config/messages/did-you-mean.ts";

describe("closest", () => {
  const members = ["base_url", "api_key", "api_key_file", "state", "syncs"];

  it.each([
    ["base_ulr", "base_url"],
    ["baseUrl", "base_url"],
    ["API-KEY", "api_key"],
    ["api_kee", "api_key"],
    ["api_key_fil", "api_key_file"],
    ["stat", "state"],
    ["sync", "syncs"],
  ])("takes %s for %s", (word, meant) => {
    expect(closest(word, members)).toBe(meant);
  });

  it.each(["pulls", "schedule", "", "x".repeat(100_000)])("takes %.10s for nothing", (word) => {
    expect(closest(word, members)).toBeUndefined();
  });

  it("counts two swapped letters as one mistake", () => {
    expect(closest("abdc", ["abcd"])).toBe("abcd");
    expect(closest("badc", ["abcd"])).toBeUndefined();
  });
});

describe("didYouMean", () => {
  it("gives a message its tail, or nothing", () => {
    expect(didYouMean("mod", ["mode"])).toBe(' (did you mean "mode"?)');
    expect(didYouMean("other", ["mode"])).toBe("");
  });
});
