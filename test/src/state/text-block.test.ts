import * as fc from "fast-check";
import { expect, it } from "vitest";

import { textBlockOf, textAt } from "../../../src/state/text-block.ts";

it("gives back every text of a block, of whatever script", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const block = textBlockOf(texts);
      expect(texts.map((_, index) => textAt(block, index))).toEqual(texts);
      expect(block.bytes.length).toBe(block.ends.at(-1) ?? 0);
    }),
  );
});

it("does not join halves of a character that stand in two texts", () => {
  const block = textBlockOf(["\ud83d", "\ude00"]);
  expect([textAt(block, 0), textAt(block, 1)]).toEqual(["\ufffd", "\ufffd"]);
});
