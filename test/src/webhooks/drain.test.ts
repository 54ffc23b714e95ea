import { describe, expect, it } from "vitest";

import { drainId } from "../../../src/webhooks/drain.ts";

describe("drainId", () => {
  it("names the connection, and the queue of a project that is not alone", () => {
    const connection = "forms";
    expect(drainId({ connection, taskQueue: "sluice" })).toBe("inbox-forms");
    expect(drainId({ connection, taskQueue: "sluice-eu" })).toBe("inbox-forms@sluice-eu");
  });
});
