import { describe, expect, it } from "vitest";

import { fieldHashesOf } from "../../../src/pipeline/fields/field-hashes.ts";
import { hashOf } from "../../../src/pipeline/line-hashes.ts";
import { changeOf } from "../../../src/pipeline/what-changed.ts";
import type { KnownRecord } from "../../../src/state/contract/keys/known-records.ts";

function written(properties: object): Buffer {
  const record = { type: "account", account_id: "a", domain: "d", account_properties: properties };
  return Buffer.from(JSON.stringify(record));
}

/** What the store knows of a record that the service has accepted. */
function accepted(line: Buffer): KnownRecord & { state: "accepted" } {
  const fields = [...fieldHashesOf(line, "account")].map(([name, hash]) => ({ name, hash }));
  return { state: "accepted", hash: hashOf(line), fields, acceptedAt: 5, send: 1 };
}

const known = accepted(written({ name: "A", size: 1 }));

describe("changeOf", () => {
  it("names the fields that differ, came or went", () => {
    const change = changeOf(written({ name: "B", town: "T" }), "account", known);
    expect(change).toEqual({
      status: "changed",
      fields: ["account_properties.name", "account_properties.town", "account_properties.size"],
      acceptedAt: 5,
    });
  });

  it("calls a record unchanged that is the same in every byte, and only that", () => {
    expect(changeOf(written({ name: "A", size: 1 }), "account", known)).toEqual({
      status: "unchanged",
      acceptedAt: 5,
    });
    expect(changeOf(written({ size: 1, name: "A" }), "account", known)).toEqual({
      status: "changed",
      fields: [],
      acceptedAt: 5,
    });
  });

  it("does not guess where no hashes of fields were kept, or nothing is known", () => {
    const bare = { ...known, fields: undefined };
    expect(changeOf(written({}), "account", bare)).toMatchObject({ fields: undefined });
    const unknown = { state: "unknown", why: "forgotten" } as const;
    expect(changeOf(written({}), "account", { state: "new" })).toEqual({ status: "new" });
    expect(changeOf(written({}), "account", unknown)).toEqual({ status: "unknown" });
  });
});
