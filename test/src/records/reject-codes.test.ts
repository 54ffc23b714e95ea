import { describe, expect, it } from "vitest";

import { rejectText } from "../../../src/records/reject-codes.ts";

describe("rejectText", () => {
  it("says a code of sluice in one line", () => {
    expect(rejectText("duplicate_key")).toBe("same key as an earlier row");
  });

  it("spells out a connector's own code", () => {
    expect(rejectText("ragged_row")).toBe("ragged row");
  });

  it("takes no text from the prototype of objects", () => {
    expect(rejectText("constructor")).toBe("constructor");
  });
});
