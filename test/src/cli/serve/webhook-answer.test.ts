import { describe, expect, it } from "vitest";

import { deliveryAnswerOf } from "../../../../src/cli/serve/webhook-answer.ts";

/** The receiver's answer when it refuses. */
function refusal(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

describe("deliveryAnswerOf", () => {
  it.each([
    [202, 1, "1 event kept"],
    [202, 2, "2 events kept"],
    [202, 0, "there was no event in it"],
    [200, 0, "it had come before: nothing was kept twice"],
  ])("says what %i with %i kept means", (status, kept, meaning) => {
    const body = JSON.stringify({ kept });
    expect(deliveryAnswerOf({ status, retryAfter: undefined, body })).toEqual({
      status,
      kept,
      meaning,
    });
  });

  it("gives a refusal in the receiver's words, and says what to do", () => {
    const body = refusal("bad_signature", "the signature is not of this body");
    expect(deliveryAnswerOf({ status: 401, retryAfter: "7", body })).toEqual({
      status: 401,
      code: "bad_signature",
      meaning: "the signature is not of this body",
      hint: "does the receiver have the same secret, and the same clock within 5 minutes?",
    });
  });

  it.each([
    ["7", 7],
    ["Sun, 22 Nov 2026 08:00:00 GMT", undefined],
    [undefined, undefined],
  ])("says when to send again after a 503 with Retry-After %s", (retryAfter, seconds) => {
    const body = refusal("disk_full", "the disk is full");
    expect(deliveryAnswerOf({ status: 503, retryAfter, body }).retryAfter).toBe(seconds);
  });

  it.each(["", "<html>", "null", '{"kept":"1"}', '{"error":"no"}'])(
    "knows that %j comes from somebody else",
    (body) => {
      expect(deliveryAnswerOf({ status: 202, retryAfter: undefined, body })).toMatchObject({
        status: 202,
        kept: undefined,
        meaning: "this is not an answer of a receiver of sluice",
      });
    },
  );
});
