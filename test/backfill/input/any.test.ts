import { anything, assert, constantFrom, jsonValue, oneof, property, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";

import { readBackfillInput } from "../../../src/backfill/input/read-input.ts";
import { trials } from "../../support/trials.ts";
import { about, refused } from "./refused.ts";

const { now } = about;

/** Usually one that is valid by itself. */
const end = oneof(
  {
    weight: 9,
    arbitrary: constantFrom("yesterday", "last 30 days", "2026-10-01", "2026-03-29 02:30", 7),
  },
  {
    weight: 3,
    arbitrary: constantFrom("now", "today", "2999-12-31", "1900-01-01", "last 3 months", "x"),
  },
  { weight: 1, arbitrary: jsonValue() },
);

/** Usually one of these, so that some inputs are valid as a whole. */
function mostly(...values: unknown[]): Arbitrary<unknown> {
  return oneof(
    { weight: 19, arbitrary: constantFrom(...values) },
    { weight: 1, arbitrary: jsonValue() },
  );
}

describe("what is said of an input that is far too long", () => {
  const long = "x".repeat(1_000_000);
  const many = new Map(
    Array.from({ length: 5_000 }, (_, index) => [`sync_${String(index)}`, { timeZone: "UTC" }]),
  );

  it.each([
    ["text", long],
    ["text of JSON", `{"sync":"${long}"}`],
    ["a sync", { sync: long }],
    ["the name of a member", { sync: "accounts", [long]: 1 }],
    ["from and to", { sync: "accounts", from: long, to: long }],
    ["a note", { sync: "accounts", note: long, mode: long, time_zone: long, send: long }],
    ["keys", { sync: "accounts", keys: [long] }],
    ["text for keys", { sync: "accounts", keys: long }],
  ])("holds little of %s", (_, raw) => {
    const { problem } = refused(raw);
    expect(problem).not.toContain("x".repeat(101));
  });

  it("counts what it has no room for", () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`nothing_${String(index)}`, index]),
    );
    expect(refused({ sync: "accounts", ...unknown }).text).toMatch(/✖ and 19\d\d more$/);
  });

  it("lists a few of many syncs", () => {
    const { text, corrected } = refused({ sync: "sync_77x" }, { syncs: many, now });
    expect(text).toContain('(did you mean "sync_77"?)');
    expect(text).toMatch(/the syncs are sync_0, .{100,200}, and 49\d\d more\n/);
    expect(corrected).toEqual({ sync: "sync_77" });
  });

  it("keeps a long note that is right, and some of many keys, which it says", () => {
    const note = "n".repeat(500);
    expect(refused({ sync: "accounts", note, lanes: 0 }).corrected).toMatchObject({ note });
    const keys = Array.from({ length: 1_000 }, (_, index) => index + 1_000);
    const { text, corrected } = refused({ sync: "accounts", keys, lanes: 0 });
    expect(corrected).toEqual({ sync: "accounts", keys: keys.slice(0, 120), lanes: 4 });
    expect(text).toContain("Below are 120 of the 1000 keys.");
  });

  it("gives other keys for those that JSON makes six times as long", () => {
    const keys = ["\u0001".repeat(256)];
    const { corrected } = refused({ sync: "accounts", keys, lanes: 0 });
    expect(corrected).toEqual({ sync: "accounts", keys: ["A-1", "A-2"], lanes: 4 });
  });

  it("shortens a note that JSON makes six times as long", () => {
    const note = "\u0001".repeat(500);
    const ends = { from: `a${"\\".repeat(97)}:1`, to: `a${'"'.repeat(97)}:1` };
    const { corrected } = refused({ sync: "accounts", note, lanes: 0, ...ends });
    expect(corrected).toMatchObject({ ...ends, note: "\u0001".repeat(99) });
  });

  it("shortens a note between two characters, not within one", () => {
    const note = `${"\u0001".repeat(98)}😀${"n".repeat(300)}`;
    const { corrected } = refused({ sync: "accounts", note, lanes: 0 });
    expect(corrected).toMatchObject({ note: "\u0001".repeat(98) });
  });
});

describe("any input", () => {
  const given = record(
    {
      sync: mostly("accounts", "contacts", "crm_events", " CONTACTS", "accounts", "acounts"),
      from: end,
      to: end,
      keys: mostly(null, null, null, null, ["a", 1]),
      mode: mostly("auto", "Lightweight"),
      limit: mostly(null, null, 1, "4"),
      lanes: mostly(1, 4, "16"),
      send: mostly("all", "changed"),
      approve: mostly("ask", "auto"),
      note: mostly("because", ""),
      advance_checkpoint: mostly(false, false, true),
      time_zone: mostly("Asia/Tokyo", "asia/kolkata", "UTC", "Europe/Pariss"),
      until: mostly(null, null, null, null, "now"),
    },
    { requiredKeys: ["sync"] },
  );

  it("is taken or corrected, and never throws", () => {
    const seen = { requests: 0, problems: 0 };
    const judge = (raw: unknown): void => {
      const read = readBackfillInput(raw, about);
      expect(Object.keys(read)).toEqual(["request" in read ? "request" : "problem"]);
      if ("problem" in read) refused(raw);
      seen["request" in read ? "requests" : "problems"] += 1;
    };
    const inputs = oneof({ weight: 4, arbitrary: given }, jsonValue(), anything());
    assert(property(inputs, judge), { numRuns: trials(240) });
    expect(seen.requests).toBeGreaterThan(0);
    expect(seen.problems).toBeGreaterThan(0);
  });
});
