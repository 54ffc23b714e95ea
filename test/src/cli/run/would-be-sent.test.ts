import { expect, it } from "vitest";

import { wouldBeSent } from "../../../../src/cli/run/mapped-rows.ts";

it("what was accepted too long ago is sent again, by the clock that says when it was accepted", () => {
  const sync = { send: "changed", resendAfterMs: 1_000 } as const;
  // The store's clock, years away from that of this machine.
  const acceptedAt = Date.parse("2001-01-01T00:00:00Z");
  const change = { status: "unchanged", acceptedAt } as const;
  expect(wouldBeSent(change, sync, acceptedAt + 1_000)).toBe(false);
  expect(wouldBeSent(change, sync, acceptedAt + 1_001)).toBe(true);
});
