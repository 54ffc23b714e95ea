import { describe, expect, it } from "vitest";

import { patchOf } from "../../../activities/pull/patches.ts";

const account = {
  mk_id: "m1",
  name: "Acme",
  founded_year: 0,
  scores: { customer_fit: { score: 71.5, segment: "" } },
  location: { country: null, city: "Lyon" },
  socials: [],
};

describe("patchOf", () => {
  const target = { connection: "crm", connector: "postgres", connectorConfig: {} };
  const writeBack = {
    ...target,
    key: { id: "mk_id", city: "location.city" },
    set: { fit: "scores.customer_fit.score", country: "location.country" },
  };

  it("makes a patch of the columns and the values at their paths", () => {
    expect(patchOf(account, { of: "accounts", writeBack })).toEqual({
      patch: { key: { id: "m1", city: "Lyon" }, set: { fit: 71.5, country: null } },
      place: "m1",
    });
  });

  it("rejects a result without a value that its row is found by", () => {
    const homeless = { ...account, location: {} };
    const made = patchOf(homeless, { of: "accounts", writeBack });
    expect(made).toMatchObject({
      reject: {
        stream: "accounts",
        place: "m1",
        step: "pull",
        code: "no_key",
        field: "location.city",
        row: JSON.stringify(homeless),
      },
    });
  });

  it("calls a job posting by its address", () => {
    const posting = { job_opening_url: "https://c.example/1", event: "closed" };
    const key = { url: "job_opening_url" };
    const pull = {
      of: "job_postings",
      writeBack: { ...target, key, set: { event: "event" } },
    } as const;
    expect(patchOf(posting, pull)).toMatchObject({ place: "https://c.example/1" });
  });
});
