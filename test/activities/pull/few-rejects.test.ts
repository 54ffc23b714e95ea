import { describe, expect, it } from "vitest";

import { assertFewRejects } from "../../../activities/pull/few-rejects.ts";
import { TooManyRejectsError } from "../../../src/errors.ts";

const pull = { name: "scores", rejectLimit: { rate: 0.05, rows: 100 } };

describe("assertFewRejects", () => {
  it("lets refusals at its rate pass, and says the rate as it was written", () => {
    const exact = { name: "scores", rejectLimit: { rate: 0.07, rows: 0 } };
    const atLimit = { refused: 7, read: 100, what: "rows" } as const;
    expect(() => assertFewRejects(exact, atLimit)).not.toThrow();
    const beyond = { ...atLimit, refused: 8 };
    expect(() => assertFewRejects(exact, beyond)).toThrow("(0 rows and 7 %)");
    const share = { name: "scores", rejectLimit: { rate: 0.57, rows: 0 } };
    expect(() => assertFewRejects(share, { ...atLimit, refused: 57 })).not.toThrow();
  });

  it.each([
    { refused: 99, read: 100, what: "results" },
    { refused: 100, read: 100, what: "results" },
    { refused: 150, read: 3_000, what: "rows" },
  ] as const)("lets $refused of $read $what pass", (counts) => {
    expect(() => assertFewRejects(pull, counts)).not.toThrow();
  });

  it.each([
    {
      counts: { refused: 101, read: 101, what: "results" },
      hint: "look at `sluice rejects list`; fix the write-back or the table, then `sluice pull scores --full`",
    },
    {
      counts: { refused: 151, read: 3_000, what: "rows" },
      hint: "look at `sluice rejects list`; fix the column that domains are read from",
    },
  ] as const)("stops at $counts.refused of $counts.read $counts.what", ({ counts, hint }) => {
    const { refused, read, what } = counts;
    const begin: unknown = expect.stringContaining(`${refused} of ${read} ${what} were refused`);
    const expected = { code: "TooManyRejects", field: "pulls.scores.reject_limit", hint };
    expect(() => assertFewRejects(pull, counts)).toThrow(TooManyRejectsError);
    expect(() => assertFewRejects(pull, counts)).toThrow(
      expect.objectContaining({ ...expected, message: begin }),
    );
  });
});
