import { describe, expect, it } from "vitest";

import { readBackfillInput } from "../../../src/backfill/input/read-input.ts";
import { about, refused, requested } from "./refused.ts";

const now = about.now;

const wholes: readonly (readonly [raw: unknown, fix: string, corrected: unknown])[] = [
  [
    undefined,
    'the input is empty: write which sync to backfill, {"sync":"accounts"}',
    { sync: "accounts" },
  ],
  [
    null,
    'the input is empty: write which sync to backfill, {"sync":"accounts"}',
    { sync: "accounts" },
  ],
  [[], "not a list: write", { sync: "accounts" }],
  [["accounts"], "not a list: write", { sync: "accounts" }],
  [
    [{ sync: "contacts", limit: 5 }],
    "not a list: remove the brackets around it",
    { sync: "contacts", limit: 5 },
  ],
  [[{ sync: "contacts" }, { sync: "accounts" }], "not a list: write", { sync: "accounts" }],
  ["contacts", 'not the text "contacts": write {"sync":"contacts"}', { sync: "contacts" }],
  ["contact", 'not the text "contact" (did you mean "contacts"?)', { sync: "contacts" }],
  ["", 'not the text "": write {"sync":"accounts"}', { sync: "accounts" }],
  ['{"sync":"contacts","lanes":2}', "remove the quotes around it", { sync: "contacts", lanes: 2 }],
  ["{sync: contacts}", 'not the text "{sync: contacts}"', { sync: "contacts" }],
  [7, "not a number: write", { sync: "accounts" }],
  [true, "not true or false: write", { sync: "accounts" }],
];

const unknownMembers: readonly (readonly [raw: object, fix: string, corrected: unknown])[] = [
  [{ sycn: "contacts" }, 'unknown member "sycn" (did you mean "sync"?)', { sync: "contacts" }],
  [
    { sync: "accounts", timeZone: "UTC" },
    '"timeZone" (did you mean "time_zone"?)',
    { sync: "accounts", time_zone: "UTC" },
  ],
  [
    { sync: "accounts", since: "yesterday" },
    '"since" (did you mean "from"?)',
    { sync: "accounts", from: "yesterday" },
  ],
  [
    { sync: "accounts", limit: 1, limits: 2 },
    '"limits" (did you mean "limit"?)',
    { sync: "accounts", limit: 1 },
  ],
  [
    { sync: "accounts", end: "now", until: "today" },
    '"until" (did you mean "to"?)',
    { sync: "accounts" },
  ],
  [
    { sync: "accounts", dry_run: true },
    'unknown member "dry_run": leave it out, the members are sync, from, to, keys, mode',
    { sync: "accounts" },
  ],
  [
    { sync: "accounts", ["__proto__"]: { sync: "contacts" } },
    'unknown member "__proto__": leave it out',
    { sync: "accounts" },
  ],
];

describe("readBackfillInput", () => {
  it("needs no more than a sync", () => {
    expect(requested({ sync: "accounts" })).toEqual({
      sync: "accounts",
      timeZone: "Europe/Paris",
      from: undefined,
      to: undefined,
      keys: undefined,
      mode: undefined,
      limit: undefined,
      lanes: 4,
      send: "changed",
      approve: "ask",
      note: undefined,
      advanceCheckpoint: false,
    });
  });

  it("takes every member", () => {
    const raw = {
      sync: "contacts",
      from: "2026-10-01",
      to: "2026-10-02",
      mode: "heavyweight",
      lanes: 16,
      send: "all",
      approve: "auto",
      note: " asked for by Ann ",
      advance_checkpoint: true,
      time_zone: "Asia/Kolkata",
    };
    expect(requested(raw)).toEqual({
      sync: "contacts",
      timeZone: "Asia/Kolkata",
      from: { time: new Date("2026-09-30T18:30:00Z"), text: "2026-10-01 00:00 Asia/Kolkata" },
      to: { time: new Date("2026-10-01T18:30:00Z"), text: "before 2026-10-02 00:00 Asia/Kolkata" },
      keys: undefined,
      mode: "heavyweight",
      limit: undefined,
      lanes: 16,
      send: "all",
      approve: "auto",
      note: "asked for by Ann",
      advanceCheckpoint: true,
    });
  });

  it.each([
    [{ sync: " Accounts " }, {}],
    [{ sync: "CRM_EVENTS" }, { sync: "crm_events", timeZone: "Asia/Kolkata" }],
    [
      { sync: "accounts", limit: "12", lanes: " 16 " },
      { limit: 12, lanes: 16 },
    ],
    [
      { sync: "accounts", limit: 1, lanes: 1 },
      { limit: 1, lanes: 1 },
    ],
    [
      { sync: "accounts", mode: "Lightweight", send: "ALL", approve: "Auto" },
      { mode: "lightweight", send: "all", approve: "auto" },
    ],
    [{ sync: "accounts", keys: ["b", 7, "b", " c"] }, { keys: ["b", "7", " c"] }],
    [{ sync: "accounts", keys: null, from: null, to: null, limit: null, nothing: null }, {}],
    [{ sync: "accounts", note: "  " }, {}],
    [{ sync: "accounts", note: "n".repeat(500) }, { note: "n".repeat(500) }],
    [{ sync: "accounts", keys: ["k".repeat(256)] }, { keys: ["k".repeat(256)] }],
    [{ sync: "accounts", time_zone: "america/new_york" }, { timeZone: "America/New_York" }],
    [{ sync: "accounts", time_zone: "UTC" }, { timeZone: "UTC" }],
  ])("is forgiving of %j", (raw, expected) => {
    expect(requested(raw)).toEqual({ ...requested({ sync: "accounts" }), ...expected });
  });

  it.each([
    [1_000, true],
    [1_001, false],
  ])("judges %i keys, taken: %j", (length, isTaken) => {
    const keys = Array.from({ length }, (_, index) => index);
    expect("request" in readBackfillInput({ sync: "accounts", keys }, about)).toBe(isTaken);
  });

  it("does not guess between syncs that differ by case alone", () => {
    const by = {
      syncs: new Map([
        ["Ab", { timeZone: "UTC" }],
        ["aB", { timeZone: "UTC" }],
      ]),
      now,
    };
    expect(requested({ sync: "aB" }, by).sync).toBe("aB");
    expect(refused({ sync: "AB" }, by).text).toContain('no sync is called "AB"');
  });

  it.each(wholes)("says what is wrong with %j as a whole", (raw, fix, expected) => {
    const { text, corrected } = refused(raw);
    expect(text).toContain(fix);
    expect(text.split("✖")).toHaveLength(2);
    expect(corrected).toEqual(expected);
  });

  it.each(unknownMembers)("names the unknown member of %j", (raw, fix, expected) => {
    const { text, corrected } = refused(raw);
    expect(text).toContain(fix);
    expect(corrected).toEqual(expected);
  });

  it("says everything at once, and keeps what is right", () => {
    const raw = {
      sync: "acounts",
      form: "2026-10-01",
      to: "2026-13-01",
      mode: "slow",
      limit: -1,
      lanes: 99,
      send: "none",
      approve: "never",
      note: "kept",
      advance_checkpoint: true,
      time_zone: "Nowhere",
      dry_run: true,
    };
    const { text, corrected } = refused(raw);
    for (const name of ["sync", "to", "mode", "limit", "lanes", "send", "approve", "time_zone"]) {
      expect(text).toContain(`\n  → at ${name}`);
    }
    expect(text).toContain('"form" (did you mean "from"?)');
    expect(text).toContain('unknown member "dry_run"');
    expect(corrected).toEqual({
      sync: "accounts",
      from: "2026-10-01",
      to: "now",
      mode: "auto",
      limit: 1000,
      lanes: 4,
      send: "changed",
      approve: "ask",
      note: "kept",
    });
  });

  it("looks into a list of one and into quotes for what else is wrong", () => {
    expect(refused([{ sync: "accounts", lanes: 99 }]).text).toContain("→ at lanes");
    expect(refused('{"sync":"accounts","lanes":99}').text).toContain("→ at lanes");
  });

  it("says so when there is no sync at all", () => {
    const by = { syncs: new Map<string, never>(), now };
    for (const raw of [undefined, {}, { sync: "accounts" }, "accounts"]) {
      const read = readBackfillInput(raw, by);
      expect("problem" in read ? read.problem : "").toContain("add one to `syncs:` in sluice.yaml");
      expect("problem" in read ? read.problem : "Try").not.toContain("Try");
    }
  });
});
