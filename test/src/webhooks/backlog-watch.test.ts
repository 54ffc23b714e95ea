import { describe, expect, it } from "vitest";

import { inboxLateMs } from "../../../src/webhooks/limits.ts";
import { post, startTestReceiver } from "./support.ts";

describe("events that are late", () => {
  it("are woken for again, once in a while, though somebody was to wake for them", async () => {
    const receiver = await startTestReceiver();
    const events = [{ json: "{}" }];
    const receivedAt = Date.now() - inboxLateMs - 1_000;
    // A receiver that kept it died before it sent its wake-up.
    const { wake } = await receiver.inbox.keep({ connection: "forms", receivedAt, events });
    await receiver.inbox.keep({ connection: "crm", receivedAt: Date.now(), events });
    await receiver.inbox.keep({ connection: "renamed", receivedAt, events });
    expect(wake).toBe(true);
    await post(receiver, [{ id: "a" }]);
    await expect.poll(() => receiver.woken, { timeout: 10_000 }).toEqual(["forms"]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(receiver.woken).toEqual(["forms"]);
  }, 20_000);
});
