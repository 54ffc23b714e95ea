import { describe, expect, it } from "vitest";

import { isOneEach, repeatsOf } from "../../src/backfill/repeats.ts";
import type { FieldRule } from "../../src/mapping/schema.ts";

const never = new AbortController().signal;

/** A source whose rows have a key of some columns, as a database knows it. */
function keyedBy(...key: readonly string[]) {
  return {
    repeats: async ({ columns }: { readonly columns: readonly string[] }) => {
      if (key.every((name) => columns.includes(name)))
        return await Promise.resolve("once" as const);
      return columns.every((name) => key.includes(name)) ? ("often" as const) : undefined;
    },
  };
}

function syncWith(accountId: FieldRule) {
  const record = { account_id: accountId, domain: "domain", account_properties: {} };
  return { connectorConfig: {}, stream: "account", record } as const;
}

describe("rows of one record", () => {
  it.each<{ what: string; rule: FieldRule; key: string[]; repeats?: "often" | "once" }>([
    { what: "the key itself", rule: { column: "id" }, key: ["id"], repeats: "once" },
    { what: "the key after a text", rule: { template: "shop-{id}" }, key: ["id"], repeats: "once" },
    { what: "one column twice", rule: { template: "{id}-{id}" }, key: ["id"], repeats: "once" },
    { what: "a part of the key", rule: { column: "id" }, key: ["id", "version"], repeats: "often" },
    {
      what: "a part of the key in lower case",
      rule: { column: "id", lowercase: true },
      key: ["id", "version"],
      repeats: "often",
    },
    { what: "the key in lower case", rule: { column: "id", lowercase: true }, key: ["id"] },
    { what: "the key without blanks", rule: { column: "id", trim: true }, key: ["id"] },
    { what: "the key as a number", rule: { column: "id", as: "integer" }, key: ["id"] },
    {
      what: "both columns of the key, joined",
      rule: { template: "{shop}-{id}" },
      key: ["shop", "id"],
    },
    { what: "a column beside the key", rule: { column: "name" }, key: ["id"] },
  ])("are known of $what", async ({ rule, key, repeats }) => {
    const sync = syncWith(rule);
    expect(await repeatsOf(sync, keyedBy(...key), never)).toBe(repeats);
    expect(await isOneEach(sync, keyedBy(...key), never)).toBe(repeats === "once");
  });
});
