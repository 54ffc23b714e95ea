import { expect, it } from "vitest";

import { byteText, durationText, grouped } from "../../../src/text/quantities.ts";

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

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [-1_234_567, "-1,234,567"],
  [1_234.5678, "1,234.5678"],
])("grouped(%d) is %s", (value, text) => {
  expect(grouped(value)).toBe(text);
});

it.each([
  [999, "999 B"],
  [1_000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [999_950_000, "1.0 GB"],
  [4_000_000_000_000_000, "4000.0 TB"],
])("byteText(%i) is %s", (bytes, text) => {
  expect(byteText(bytes)).toBe(text);
});
