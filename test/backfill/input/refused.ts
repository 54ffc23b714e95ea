import { expect, it } from "vitest";

import { readBackfillInput } from "../../../src/backfill/input/read-input.ts";
import type { BackfillRequest } from "../../../src/backfill/input/schema.ts";

type About = Parameters<typeof readBackfillInput>[1];

/** Three syncs, each in its own zone, on a Sunday afternoon in Paris, in winter time. */
export const about: About = {
  syncs: new Map([
    ["accounts", { timeZone: "Europe/Paris" }],
    ["contacts", { timeZone: "America/New_York" }],
    ["crm_events", { timeZone: "Asia/Kolkata" }],
  ]),
  now: new Date("2026-11-22T13:30:15.120Z"),
};

/** The request of a valid input. */
export function requested(raw: unknown, by: About = about): BackfillRequest {
  const read = readBackfillInput(raw, by);
  if ("request" in read) return read.request;
  throw new Error(read.problem);
}

/** The message about a wrong input, and the corrected input, which was in turn read successfully. */
export function refused(
  raw: unknown,
  by: About = about,
): {
  readonly text: string;
  readonly faults: readonly { readonly message: string; readonly at: string | undefined }[];
  readonly corrected: unknown;
  readonly problem: string;
} {
  const read = readBackfillInput(raw, by);
  if ("request" in read) throw new Error("nothing was refused");
  const { problem } = read;
  expect(problem.startsWith("the input of this workflow is wrong:\n✖ ")).toBe(true);
  expect(problem.length).toBeLessThanOrEqual(2_000);
  const [text = "", json = ""] = problem.split("\n\nTry:\n");
  const corrected: unknown = JSON.parse(json);
  expect(readBackfillInput(corrected, by)).toHaveProperty("request");
  const faults = text
    .split("✖ ")
    .slice(1)
    .map((fault) => {
      const [message = "", at] = fault.split("\n  → at ");
      return { message, at: at?.split("\n")[0] };
    });
  return { text, faults, corrected, problem };
}

/**
 * Wrong inputs for the sync `accounts`, by the member that is named: the other members, words that say what to do, and
 * the corrected ones.
 */
type WrongInputs = Readonly<
  Record<string, readonly (readonly [given: object, fix: string, corrected: object])[]>
>;

/** Tests the message about each, and that it is the only one. */
export function itSaysWhatIsWrong(inputs: WrongInputs): void {
  for (const [at, rows] of Object.entries(inputs)) {
    it.each(rows)(`says what is wrong with ${at} in %j`, (given, fix, corrected) => {
      // As Temporal passes it on.
      const said = refused(JSON.parse(JSON.stringify({ sync: "accounts", ...given })));
      expect(said.faults.map((fault) => fault.at)).toEqual([at]);
      expect(said.faults[0]?.message).toContain(fix);
      expect(said.corrected).toEqual({ sync: "accounts", ...corrected });
    });
  }
}
