import { describe, expect, it } from "vitest";

import { validateRecords } from "../../../src/pipeline/validate.ts";
import { validateRecord } from "../../../src/records/validate-record.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { isBalanced, makeReject, mappedPage } from "./support.ts";

describe("validateRecords", () => {
  it("rejects what its stream does not take, with the place of its row", async () => {
    const sound = { type: "account", account_id: "b", domain: "b.example", account_properties: {} };
    const page = mappedPage([{ ...sound, domain: "" }, sound]);
    const [valid] = await collect(
      validateRecords(streamOf([page]), validateRecord("account"), makeReject),
    );
    expect(valid?.records.map(({ index }) => index)).toEqual([1]);
    expect(valid?.rejects).toMatchObject([
      { place: "a.csv:2", step: "validate", code: "required", field: "domain" },
    ]);
    expect(valid !== undefined && isBalanced(valid)).toBe(true);
  });
});
