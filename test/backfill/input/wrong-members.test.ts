import { describe, expect, it } from "vitest";

import { refused } from "./refused.ts";
import type { WrongInput } from "./refused.ts";

const allSyncs = "the syncs are accounts, contacts, crm_events";

const inputs: readonly WrongInput[] = [
  {
    raw: {},
    at: "sync",
    fix: `is missing: write which one, ${allSyncs}`,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: null, limit: 5 },
    at: "sync",
    fix: "is missing",
    corrected: { sync: "accounts", limit: 5 },
  },
  {
    raw: { sync: 5 },
    at: "sync",
    fix: `must be the name of a sync in quotes: ${allSyncs}`,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: ["accounts"] },
    at: "sync",
    fix: "must be the name of a sync in quotes",
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "acounts" },
    at: "sync",
    fix: `no sync is called "acounts" (did you mean "accounts"?): ${allSyncs}`,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "contcats", limit: 5 },
    at: "sync",
    fix: '(did you mean "contacts"?)',
    corrected: { sync: "contacts", limit: 5 },
  },
  {
    raw: { sync: "./exports/accounts.csv" },
    at: "sync",
    fix: `no sync is called "./exports/accounts.csv": ${allSyncs}`,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "https://crm.example/a" },
    at: "sync",
    fix: `no sync is called "https://crm.example/a": ${allSyncs}`,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "select * from companies" },
    at: "sync",
    fix: allSyncs,
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "toString" },
    at: "sync",
    fix: 'no sync is called "toString"',
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "accounts", keys: [] },
    at: "keys",
    fix: "must be a list of 1 to 1000 keys, each a whole number or, in quotes, text",
    corrected: { sync: "accounts", keys: ["A-1", "A-2"] },
  },
  {
    raw: { sync: "accounts", keys: "A-7, A-8" },
    at: "keys",
    fix: '["A-1", 1002]',
    corrected: { sync: "accounts", keys: ["A-7", "A-8"] },
  },
  {
    raw: { sync: "accounts", keys: 7 },
    at: "keys",
    fix: "must be a list",
    corrected: { sync: "accounts", keys: [7] },
  },
  {
    raw: { sync: "accounts", keys: {} },
    at: "keys",
    fix: "must be a list",
    corrected: { sync: "accounts", keys: ["A-1", "A-2"] },
  },
  {
    raw: { sync: "accounts", keys: ["a", 1.5, "b"] },
    at: "keys[1]",
    fix: "each a whole number or, in quotes, text",
    corrected: { sync: "accounts", keys: ["a", "b"] },
  },
  {
    raw: { sync: "accounts", keys: ["a", 2 ** 53] },
    at: "keys[1]",
    fix: "more than 15 digits need quotes",
    corrected: { sync: "accounts", keys: ["a"] },
  },
  {
    raw: { sync: "accounts", keys: ["", "k".repeat(257)] },
    at: "keys[0]",
    fix: "text of 1 to 256 characters",
    corrected: { sync: "accounts", keys: ["A-1", "A-2"] },
  },
  {
    raw: { sync: "accounts", keys: ["a"], from: "yesterday" },
    at: "keys",
    fix: "does not go with from: leave out keys, or from",
    corrected: { sync: "accounts", keys: ["a"] },
  },
  {
    raw: { sync: "accounts", keys: ["a"], from: 1, to: 2, limit: 3 },
    at: "keys",
    fix: "leave out keys, or from and to and limit",
    corrected: { sync: "accounts", keys: ["a"] },
  },
  {
    raw: { sync: "accounts", mode: "light" },
    at: "mode",
    fix: 'must be "auto" or "lightweight" or "heavyweight"',
    corrected: { sync: "accounts", mode: "auto" },
  },
  {
    raw: { sync: "accounts", mode: "heavywieght" },
    at: "mode",
    fix: '(did you mean "heavyweight"?)',
    corrected: { sync: "accounts", mode: "heavyweight" },
  },
  {
    raw: { sync: "accounts", mode: 1 },
    at: "mode",
    fix: 'must be "auto" or',
    corrected: { sync: "accounts", mode: "auto" },
  },
  {
    raw: { sync: "accounts", limit: 0 },
    at: "limit",
    fix: "must be a whole number of rows from 1 on",
    corrected: { sync: "accounts", limit: 1000 },
  },
  {
    raw: { sync: "accounts", limit: "1,000" },
    at: "limit",
    fix: "such as 1000",
    corrected: { sync: "accounts", limit: 1000 },
  },
  {
    raw: { sync: "accounts", limit: 1.5 },
    at: "limit",
    fix: "whole number",
    corrected: { sync: "accounts", limit: 1000 },
  },
  {
    raw: { sync: "accounts", lanes: 0 },
    at: "lanes",
    fix: "must be a whole number from 1 to 16",
    corrected: { sync: "accounts", lanes: 4 },
  },
  {
    raw: { sync: "accounts", lanes: 17 },
    at: "lanes",
    fix: "from 1 to 16",
    corrected: { sync: "accounts", lanes: 4 },
  },
  {
    raw: { sync: "accounts", lanes: "four" },
    at: "lanes",
    fix: "from 1 to 16",
    corrected: { sync: "accounts", lanes: 4 },
  },
  {
    raw: { sync: "accounts", send: "everything" },
    at: "send",
    fix: 'must be "changed" or "all"',
    corrected: { sync: "accounts", send: "changed" },
  },
  {
    raw: { sync: "accounts", send: true },
    at: "send",
    fix: 'must be "changed" or "all"',
    corrected: { sync: "accounts", send: "changed" },
  },
  {
    raw: { sync: "accounts", approve: "yes" },
    at: "approve",
    fix: 'must be "ask" or "auto"',
    corrected: { sync: "accounts", approve: "ask" },
  },
  {
    raw: { sync: "accounts", approve: true },
    at: "approve",
    fix: 'must be "ask" or "auto"',
    corrected: { sync: "accounts", approve: "ask" },
  },
  {
    raw: { sync: "accounts", note: "n".repeat(501) },
    at: "note",
    fix: "must be text of at most 500 characters",
    corrected: { sync: "accounts", note: "n".repeat(64) },
  },
  {
    raw: { sync: "accounts", note: 5 },
    at: "note",
    fix: "in quotes",
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "accounts", advance_checkpoint: "true", to: "now" },
    at: "advance_checkpoint",
    fix: "true or false, without quotes",
    corrected: { sync: "accounts", to: "now" },
  },
  {
    raw: { sync: "accounts", advance_checkpoint: true },
    at: "advance_checkpoint",
    fix: "goes with `to` only",
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "accounts", advance_checkpoint: true, to: "now", limit: 5 },
    at: "advance_checkpoint",
    fix: "does not go with limit",
    corrected: { sync: "accounts", to: "now", limit: 5 },
  },
  {
    raw: { sync: "accounts", time_zone: "Europe/Pariss" },
    at: "time_zone",
    fix: 'no time zone is called "Europe/Pariss" (did you mean "Europe/Paris"?)',
    corrected: { sync: "accounts", time_zone: "Europe/Paris" },
  },
  {
    raw: { sync: "accounts", time_zone: "Mars/Olympus" },
    at: "time_zone",
    fix: "leave it out for the sync's own",
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "accounts", time_zone: "+02:00" },
    at: "time_zone",
    fix: 'no time zone is called "+02:00"',
    corrected: { sync: "accounts" },
  },
  {
    raw: { sync: "accounts", time_zone: 2 },
    at: "time_zone",
    fix: "must be the name of a time zone in quotes",
    corrected: { sync: "accounts" },
  },
];

describe("readBackfillInput", () => {
  it.each(inputs)("says what is wrong with $at in $raw", ({ raw, ...expected }) => {
    const { faults, corrected } = refused(raw);
    expect(faults.map(({ at }) => at)).toEqual([expected.at]);
    expect(faults[0]?.message).toContain(expected.fix);
    expect(corrected).toEqual(expected.corrected);
  });
});
