import { describe, expect, it } from "vitest";

import { deliveryChecks } from "../../testing/checks/deliveries.ts";
import type { DeliveryCase } from "../../testing/delivery.ts";
import { runCheck, type CheckResult } from "../../testing/run.ts";
import { rightPush, rightPushHarness } from "../broken-connectors/right-push.ts";

async function answered(delivery: Partial<DeliveryCase>): Promise<CheckResult> {
  const [check] = deliveryChecks;
  if (check === undefined) throw new Error("there is no check of deliveries");
  const [first] = rightPushHarness().deliveries ?? [];
  const deliveries = [{ what: "a post", ...first, ...delivery }].map((one) => ({
    ...one,
    what: "a post",
  }));
  return await runCheck(check, {
    source: rightPush,
    harness: { ...rightPushHarness(), deliveries },
  });
}

describe("check A8", () => {
  it("is green when all is as the harness says", async () => {
    const endpoint = { path: "/hooks/sample" };
    expect(await answered({ endpoint })).toMatchObject({ state: "passed", text: "" });
    expect(await answered({ config: { path: "sample" }, refusedBy: "path" })).toMatchObject({
      text: "",
    });
  });

  it("is not shown without deliveries", async () => {
    const [check] = deliveryChecks;
    if (check === undefined) throw new Error("there is no check of deliveries");
    const { deliveries: _, ...harness } = rightPushHarness();
    const result = await runCheck(check, { source: rightPush, harness });
    expect(result).toMatchObject({ state: "not shown", text: "the harness has no `deliveries`" });
  });

  it.each<[what: string, delivery: Partial<DeliveryCase>, said: string]>([
    ["another event", { events: [{ json: "{}" }] }, "1 events as they are; came 0 events"],
    [
      "no refusal",
      { refusal: { refuse: 401, reason: "bad_signature" } },
      "401 (bad_signature); came 0 events",
    ],
    ["a refusal", { headers: {} }, "0 events as they are; came 401 (bad_signature)"],
    ["no refused setting", { refusedBy: "path" }, "path to be refused; came nothing"],
    [
      "a setting that is refused",
      { config: { path: "sample" } },
      "a config that its schema takes; came a fault in path",
    ],
    ["another endpoint", { endpoint: { lingerMs: 1 } }, "the endpoint that it says; came another"],
    ["no finding", { findings: [{ name: "path" }] }, "`check` to find path; came 0 others"],
    [
      "other headers",
      { signed: { id: "d-1", headers: {} } },
      "the headers that `sign` is to make; came others",
    ],
  ])("is red with %s", async (_, delivery, said) => {
    const { state, text } = await answered(delivery);
    expect(text).toContain(`expected of a post: ${said}`);
    expect(state).toBe("failed");
  });
});
