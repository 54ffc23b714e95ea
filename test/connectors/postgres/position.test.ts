import { describe, expect, it } from "vitest";

import { postgresConfig } from "../../../connectors/postgres/config.ts";
import {
  endOfRead,
  isInOverlap,
  positionAt,
  rewindPostgres,
  type PostgresPosition,
} from "../../../connectors/postgres/position.ts";
import { ConfigError } from "../../../src/errors.ts";

const url = "postgres://reader@db.example/crm";
const table = "crm.companies";
const of = "crm.companies by at";

function rewound(
  position: PostgresPosition,
  overlap?: string | number,
  oldestOpen?: PostgresPosition,
): PostgresPosition | undefined {
  const config = postgresConfig.parse({ url, table, changed_by: { column: "at", overlap } });
  return rewindPostgres({ config, position, oldestOpen });
}

describe("rewindPostgres", () => {
  it.each<readonly [string, string | number | undefined, string]>([
    ["2024-03-10 00:00:00.000001+00", "6h", "2024-03-09 18:00:00.000001+00"],
    ["2024-03-10 00:00:00+00", "1ms", "2024-03-09 23:59:59.999000+00"],
    ["2024-03-10 00:00:00+00", undefined, "2024-03-09 23:00:00.000000+00"],
    ["2024-03-10 01:30:00.5", "90m", "2024-03-10 00:00:00.500000"],
    ["2024-03-01", "1ms", "2024-02-29"],
    ["1970-01-01 00:00:00+00", "1s", "1969-12-31 23:59:59.000000+00"],
    ["42", 40, "2"],
    ["9007199254740993", 1, "9007199254740992"],
    ["42.5", 40, "2"],
    ["-42.5", 40, "-83"],
  ])("steps from %s back over %s to %s, and reads that again", (changed, overlap, back) => {
    expect(rewound({ of, changed, key: ["7"] }, overlap)).toEqual({ of, changed: back });
  });

  it.each<readonly [string, string | number | undefined]>([
    ["2024-03-10 00:00:00+00", 0],
    ["42", 0],
    ["42", undefined],
    ["42.5", 0],
    ["infinity", "6h"],
  ])(
    "stays after the row of %s without an overlap that it can step back over",
    (changed, overlap) => {
      const position = { of, changed, key: ["7"] };
      expect(rewound(position, overlap)).toEqual(position);
    },
  );

  it.each([
    ["2024-03-09 22:59:59.999999+00", "2024-03-09 22:29:59.999999+00", "1h"],
    ["2024-03-09 23:29:59.999999+00", "2024-03-09 22:59:59.999999+00", "1h"],
    ["2024-03-09 23:30:00.000001+00", "2024-03-09 23:00:00.000000+00", "1h"],
    ["2024-03-09 23:59:59.000001+00", "2024-03-09 23:59:59.000001+00", 0],
  ])(
    "goes back by half an overlap before a transaction that began at %s where that is earlier",
    (oldestOpen, back, overlap) => {
      const position = { of, changed: "2024-03-10 00:00:00+00", key: ["7"] };
      expect(rewound(position, overlap, { of, changed: oldestOpen })).toEqual({
        of,
        changed: back,
      });
    },
  );

  it.each([
    ["of a full read", {}],
    ["of another table", { table: "crm.people" }],
    ["of a query", { table: undefined, query: "select 1", key: ["id"] }],
    ["by another column", { changed_by: { column: "changed_at" } }],
    ["by another key", { key: ["id"] }],
  ])("says that a position means nothing to a reading %s", (_, other) => {
    const asked = { url, table, changed_by: { column: "at" } };
    const position = { of, changed: "2024-03-10 00:00:00+00", key: ["7"] };
    expect(rewindPostgres({ config: postgresConfig.parse(asked), position })).toBeDefined();
    const config = postgresConfig.parse({ ...asked, ...other });
    const made = Object.keys(other).length === 0 ? { key: ["7"] } : position;
    expect(rewindPostgres({ config, position: made })).toBeUndefined();
  });
});

describe("isInOverlap", () => {
  const to = { of, changed: "2024-03-10 12:00:00+00", clock: 5 };
  const hour = { ms: 3_600_000 };

  it.each([
    { changed: "2024-03-10 10:59:59.999999+00", to, overlap: hour, expected: false },
    { changed: "2024-03-10 11:00:00+00", to, overlap: hour, expected: true },
    { changed: "2024-03-10 11:59:59+00", to, overlap: { ms: 0 }, expected: false },
    { changed: "42", to: undefined, overlap: { count: 40 }, expected: true },
    { changed: "42", to: undefined, overlap: { count: 0 }, expected: false },
    { changed: "infinity", to, overlap: hour, expected: true },
  ])("of $changed with an overlap of $overlap: $expected", (row) => {
    const position = { of, changed: row.changed, key: ["7"] };
    expect(isInOverlap(position, row.to, row.overlap)).toBe(row.expected);
  });

  it("has every row before an end that a person named, which may be far behind the last row", () => {
    const position = { of, changed: "2024-03-09 12:00:00+00", key: ["7"] };
    expect(isInOverlap(position, { of, changed: to.changed }, hour)).toBe(true);
  });

  it("has every row without a change column, which no run begins behind", () => {
    expect(isInOverlap({ key: ["7"] }, to, undefined)).toBe(true);
  });
});

describe("a clock that moved between two runs", () => {
  const config = postgresConfig.parse({ url, table, changed_by: { column: "at" } });
  const changed = "2024-03-10 12:00:00+00";
  const key = ["7"];

  it.each<readonly [string, readonly [number, number], string]>([
    ["went back by 3 h", [10_800_000, 0], "2024-03-10 08:00:00.000000+00"],
    ["went forward", [0, 10_800_000], "2024-03-10 11:00:00.000000+00"],
    ["stands still", [200, -200], "2024-03-10 11:00:00.000000+00"],
  ])("has a run go back further where it %s", (_, [before, now], back) => {
    const to = { of, changed: "2024-03-11 12:00:00+00", clock: now };
    const position = { of, changed, key, clock: before };
    expect(rewindPostgres({ config, position, to })).toEqual({ of, changed: back });
  });

  it.each([
    ["of another version", undefined, 0],
    ["of a clock that both share", 3, 5],
    ["of a server whose clock went back by less", 1_800_000, 0],
  ])("has everything read again from a checkpoint too far ahead of it: %s", (_, before, now) => {
    const position = { of, changed, key, ...(before === undefined ? {} : { clock: before }) };
    const to = (time: string): PostgresPosition => ({ of, changed: `${time}+00`, clock: now });
    expect(rewindPostgres({ config, position, to: to("2024-03-10 10:00:00") })).toBeUndefined();
    // Local clocks that are set back are not ahead for long.
    expect(rewindPostgres({ config, position, to: to("2024-03-10 11:00:00") })).toBeDefined();
  });
});

describe("endOfRead", () => {
  const to = { of, changed: "2024-03-10 12:00:00+00", clock: 5 };
  const end = (
    from: { readonly changed: string; readonly key?: readonly string[] } | undefined,
    how: { isZoneGiven?: boolean; overlapMs?: number; to?: string } = {},
  ): unknown =>
    endOfRead({
      from: from === undefined ? undefined : { of, ...from },
      to: { ...to, changed: how.to ?? to.changed },
      overlap: { ms: how.overlapMs ?? 3_600_000 },
      isZoneGiven: how.isZoneGiven ?? true,
    });
  const key = ["7"];

  it("is the end of what was to be read, as long as that is within the overlap of the last row", () => {
    expect(end({ changed: "2024-03-10 11:00:00+00", key })).toEqual(to);
  });

  it("is never further after the newest row than the overlap", () => {
    const changed = "2024-03-09 12:00:00+00";
    expect(end({ changed, key })).toEqual({ ...to, changed: "2024-03-09 13:00:00.000001+00" });
    // No row came: the read began at the overlap before the checkpoint, which stays.
    expect(end({ changed })).toEqual({ ...to, changed: "2024-03-09 13:00:00.000000+00" });
    expect(end(undefined)).toBeUndefined();
  });

  it("is the last row itself where only a guess says which zone the end is in, or nothing is read twice", () => {
    const how = { to: "2024-03-10 12:00:00", isZoneGiven: false };
    expect(end({ changed: "2024-03-10 11:59:00", key }, how)).toBeUndefined();
    expect(end({ changed: "2024-03-09 12:00:00+00", key }, { overlapMs: 0 })).toBeUndefined();
    // A quiet night does not move the checkpoint back.
    const changed = "2024-03-09 13:00:00.000000";
    expect(end({ changed: "2024-03-09 12:00:00" }, how)).toEqual({ ...to, changed });
  });

  it("is the last row itself where the end is a number, because numbers to come may be below it", () => {
    expect(end({ changed: "1000", key }, { to: "1200" })).toBeUndefined();
    expect(end(undefined, { to: "-1.5" })).toBeUndefined();
  });

  it("is the last row itself where a person named the end, which may be ahead of what a standby has", () => {
    const from = { of, changed: "2024-03-10 11:59:00+00", key };
    const named = { of, changed: to.changed };
    const how = { from, overlap: { ms: 3_600_000 }, isZoneGiven: true };
    expect(endOfRead({ ...how, to: named })).toBeUndefined();
    expect(endOfRead({ ...how, to })).toEqual(to);
  });

  it("is the end of a day where days are read", () => {
    const day = { changed: "2024-03-05", key };
    expect(end(day, { to: "2024-03-10" })).toEqual({ ...to, changed: "2024-03-07" });
    expect(end(day, { to: "2024-03-06" })).toEqual({ ...to, changed: "2024-03-06" });
    const quiet = end({ changed: "2024-03-06" }, { to: "2024-03-10" });
    expect(quiet).toEqual({ ...to, changed: "2024-03-07" });
  });
});

describe("positionAt", () => {
  it("covers what changed before a time", () => {
    const config = postgresConfig.parse({ url, table, changed_by: { column: "at" } });
    expect(positionAt({ config, when: new Date("2024-03-10T15:00:00.5+01:00") })).toEqual({
      of,
      changed: "2024-03-10 14:00:00.500000+00",
    });
  });

  it("refuses a source without a change column", () => {
    const config = postgresConfig.parse({ url });
    expect(() => positionAt({ config, when: new Date() })).toThrow(ConfigError);
  });
});
