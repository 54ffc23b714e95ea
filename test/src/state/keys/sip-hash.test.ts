import { describe, expect, it } from "vitest";

import { createSipHash, sipBytes } from "../../../../src/state/rules/keys/sip-hash.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";
import { numbers } from "../../../support/sequences.ts";

/** 00 01 02 …, as in the authors' own test vectors. */
const counting = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);

const secret = counting(sipBytes);

function hex(words: Int32Array): string {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString("hex");
}

describe("the SipHash", () => {
  it.each([
    [0, "a3817f04ba25a8e66df67214c7550293"],
    [1, "da87c1d86b99af44347659119b22fc45"],
    [2, "8177228da4a45dc7fca38bdef60affe4"],
    [15, "5493e99933b0a8117e08ec0f97cfc3d9"],
    [16, "6ee2a4ca67b054bbfd3315bf85230577"],
    [63, "5150d1772f50834a503e069a973fbd7c"],
  ])("of %i bytes is that of its authors", (length, hash) => {
    const texts = { bytes: counting(length), ends: Uint32Array.of(length) };
    expect(hex(createSipHash(secret)(texts))).toBe(hash);
  });

  it("takes a prefix as part of each text", () => {
    const bytes = counting(15).subarray(8);
    const behind = createSipHash(secret, counting(8));
    expect(hex(behind({ bytes, ends: Uint32Array.of(7) }))).toBe(
      "5493e99933b0a8117e08ec0f97cfc3d9",
    );
  });

  it("of several texts is that of each", () => {
    const hash = createSipHash(secret);
    const some = ["a", "", "a longer one than a block", "é東😀", "a"];
    const texts = [...some, ...numbers(10_000).map(String), "x".repeat(100_000)];
    const each = texts.map((text) => hex(hash(textBlockOf([text])))).join("");
    expect(hex(hash(textBlockOf(texts)))).toBe(each);
  });
});
