import { expect, it } from "vitest";

import { durationText } from "../../../src/text/quantities.ts";

it.each([
  [340, "0.3 s"],
  [9_940, "9.9 s"],
  [9_960, "10 s"],
  [47_100, "47 s"],
  [59_600, "1 min 0 s"],
  [119_700, "2 min 0 s"],
  [586_000, "9 min 46 s"],
  [7_380_000, "2 h 3 min"],
])("durationText(%i) is %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
