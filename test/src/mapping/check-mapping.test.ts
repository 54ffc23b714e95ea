import { describe, expect, it } from "vitest";

import { checkMapping } from "../../../src/mapping/check-mapping.ts";

const account = { account_id: "id", domain: "site", account_properties: {} };

describe("checkMapping", () => {
  it("finds nothing wrong in a complete mapping", () => {
    expect(checkMapping(account, "account")).toEqual([]);
  });

  it("names a field of another stream, with the fields there are", () => {
    expect(checkMapping({ ...account, email: "mail" }, "account")).toEqual([
      {
        path: ["email"],
        message:
          "email is not a field of the stream account, which has account_id, domain, account_properties",
      },
    ]);
  });

  it("names every missing field", () => {
    const problems = checkMapping({ event: "kind" }, "contact_event");
    expect(problems.map(({ message }) => message.split(" ")[0])).toEqual([
      "event_id",
      "contact_id",
      "event_timestamp",
      "event_properties",
    ]);
    expect(problems.every(({ path }) => path.length === 0)).toBe(true);
  });

  it("says how to send no properties", () => {
    const [problem] = checkMapping({ account_id: "id", domain: "site" }, "account");
    expect(problem?.message).toContain('"account_properties: {}"');
  });

  it("leaves no field out that every record has", () => {
    const rule = { column: "site", as: "domain", on_invalid: "omit" } as const;
    const properties = { account_properties: { site: rule } };
    expect(checkMapping({ ...account, ...properties }, "account")).toEqual([]);
    expect(checkMapping({ ...account, domain: rule }, "account")).toEqual([
      {
        path: ["domain", "on_invalid"],
        message: "every record has domain, so it cannot be left out; only properties can",
      },
    ]);
  });

  it("finds constants that are not of their type", () => {
    const problems = checkMapping(
      {
        ...account,
        domain: { column: "site", as: "domain", default: "unknown" },
        account_properties: {
          size: { value: "many", as: "integer" },
          founded: { value: "1999", as: "integer" },
        },
      },
      "account",
    );
    expect(problems.map(({ path }) => path)).toEqual([
      ["domain", "default"],
      ["account_properties", "size", "value"],
    ]);
  });
});
