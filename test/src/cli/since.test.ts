import { expect, it } from "vitest";

import { since } from "../../../src/cli/since.ts";

it("since() reads so long ago, a date, and a time with or without its zone", () => {
  // The store's clock, hours away from that of this machine.
  const nowMs = Date.parse("2020-01-08T12:00:00Z");
  expect(since("7d")(nowMs)).toBe("2020-01-01T12:00:00.000Z");
  expect(since("2026-11-20")(nowMs)).toBe("2026-11-20T00:00:00.000Z");
  expect(since("2026-11-20T02:30")(nowMs)).toBe("2026-11-20T02:30:00.000Z");
  expect(since("2026-11-20T02:30:05+01:00")(nowMs)).toBe("2026-11-20T01:30:05.000Z");
});

it.each([
  "soon",
  "7",
  "2026-13-40",
  "20.11.2026",
  "2026-11-20T2:30",
  "2026-02-30",
  "2026-02-30T00:00Z",
])("since() refuses %s", (text) => {
  expect(() => since(text)).toThrow("must be a time: 7d, ");
});
