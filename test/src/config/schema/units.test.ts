import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { duration, share, size } from "../../../../src/config/schema/units.ts";

function read(schema: z.ZodType<number>, value: unknown): number | string | undefined {
  const { data, error } = schema.safeParse(value);
  return data ?? error?.issues.map(({ message }) => message).join();
}

describe("duration", () => {
  it.each([
    ["1ms", 1],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.1s", 1_100],
    ["5m", 300_000],
    ["12h", 43_200_000],
    ["30 d", 2_592_000_000],
    ["3650d", 315_360_000_000],
  ])("reads %s", (text, ms) => {
    expect(read(duration(), text)).toBe(ms);
  });

  it.each(["0s", "0.0h", "3651d", "315360000001ms"])("refuses %s as out of range", (text) => {
    expect(read(duration(), text)).toBe("must be between 1ms and 3650d");
  });

  it.each(["", "5", "m", "-5m", "5 parsecs", "5m30s", "1.5ms", "1e3s", "٣s", 30, null])(
    "refuses %j as no duration",
    (value) => {
      expect(read(duration(), value)).toBe("must be a duration such as 500ms, 30s, 5m, 12h or 30d");
    },
  );
});

describe("size", () => {
  const bytes = size(2_000_000_000);

  it.each([
    [1, 1],
    ["1", 1],
    ["2000000", 2_000_000],
    ["1 kB", 1_000],
    ["1MB", 1_000_000],
    ["1KiB", 1_024],
    ["64MiB", 67_108_864],
    ["1.5GiB", 1_610_612_736],
    [1_999_999_999, 1_999_999_999],
    ["2GB", 2_000_000_000],
  ])("reads %j", (value, expected) => {
    expect(read(bytes, value)).toBe(expected);
  });

  it.each([0, 2_000_000_001, "2GiB"])("refuses %j as out of range", (value) => {
    expect(read(bytes, value)).toBe("must be between 1 and 2000000000 bytes");
  });

  it.each(["", "MiB", "64Mi", 1.5, -1, Infinity, true])("refuses %j as no size", (value) => {
    expect(read(bytes, value)).toBe("must be a size such as 64MiB, 1MB or 2000000");
  });
});

describe("share", () => {
  it.each([
    ["0%", 0],
    ["5%", 0.05],
    ["2.5 %", 0.025],
    ["100%", 1],
    [0, 0],
    [0.05, 0.05],
    [1, 1],
  ])("reads %j", (value, expected) => {
    expect(read(share(), value)).toBe(expected);
  });

  it.each([-0.01, 1.01, 5, "101%"])("refuses %j as out of range", (value) => {
    expect(read(share(), value)).toBe("must be between 0 and 1, or 0% and 100%");
  });

  it.each(["", "5", "-5%", "five", false])("refuses %j as no share", (value) => {
    expect(read(share(), value)).toBe("must be a share such as 5% or 0.05");
  });
});
