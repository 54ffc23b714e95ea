import { describe, expect, it } from "vitest";

import { changed, problemsOf } from "./support.ts";

describe("mappingMistakes", () => {
  it.each([
    ["account_id: id, ", "", /^10:5: account_id is missing/],
    [
      "domain: site",
      "domain: site, email: mail",
      /^10:45: email is not a field of the stream account/,
    ],
    ["domain: site", "domain: { value: 7, as: domain }", /^10:48: /],
  ])("finds %j become %j", async (piece, by, problem) => {
    expect(await problemsOf(changed(piece, by))).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    [
      "domain: site",
      "domian: site",
      /^10:31: unknown member "domian" \(did you mean "domain"\?\)$/,
    ],
    [
      "domain: site",
      "domain: { column: site, as: domian }",
      /^10:59: must be one of .* \(did you mean "domain"\?\)$/,
    ],
    [
      "account_properties: {}",
      "account_properties: { size: { column: n, trm: true } }",
      /^10:86: unknown member "trm" \(did you mean "trim"\?\)$/,
    ],
    ["stream: account", "stream: acount", /^9:13: must be one of .* \(did you mean "account"\?\)$/],
  ])("leaves to the schema %j become %j", async (piece, by, problem) => {
    expect(await problemsOf(changed(piece, by))).toEqual([expect.stringMatching(problem)]);
  });
});
