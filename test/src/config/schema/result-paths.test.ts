import { describe, expect, it } from "vitest";

import { resultPathFault, resultPathType } from "../../../../src/config/schema/result-paths.ts";

describe("resultPathFault", () => {
  it.each([
    ["accounts", "mk_id"],
    ["accounts", "scores"],
    ["accounts", "scores.customer_fit"],
    ["accounts", "scores.customer_fit.signals"],
    ["persons", "company.mk_id"],
    ["persons", "location.state"],
    ["job_postings", "first_event_on"],
    ["job_postings", "wholly_unknown.path"],
  ] as const)("takes of %s the path %s", (of, path) => {
    expect(resultPathFault(of, path)).toBeUndefined();
  });

  it.each([
    ["accounts", "mkid", 'no result has this member (did you mean "mk_id"?)'],
    ["accounts", "location.contry", 'no result has this member (did you mean "location.country"?)'],
    ["persons", "first-name", "must be a path into a result, such as scores.customer_fit.score"],
    ["persons", "scores..score", "must be a path into a result, such as scores.customer_fit.score"],
    [
      "job_postings",
      "job_opening_ur",
      'no result has this member (did you mean "job_opening_url"?)',
    ],
  ] as const)("says of %s what is wrong with %s", (of, path, fault) => {
    expect(resultPathFault(of, path)).toBe(fault);
  });
});

describe("resultPathType", () => {
  it.each([
    ["accounts", "name", "string"],
    ["accounts", "founded_year", "number"],
    ["accounts", "scores.likelihood_to_buy.score", "number"],
    ["accounts", "scores", "json"],
    ["accounts", "unknown_member", "json"],
    ["persons", "has_left_company", "boolean"],
    ["persons", "activities", "json"],
    ["job_postings", "event_on", "date"],
    ["job_postings", "keywords", "string"],
  ] as const)("calls of %s the path %s a %s", (of, path, type) => {
    expect(resultPathType(of, path)).toBe(type);
  });
});
