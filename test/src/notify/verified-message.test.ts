import { describe, expect, it } from "vitest";

import { verifiedMessage } from "../../../src/notify/verified-message.ts";
import { Secret } from "../../../src/security/secret.ts";
import { isDeliveryId } from "../../../src/security/standard-webhooks.ts";

const url = new Secret("https://hooks.example/T0/canary-path");
const common = { target: "hooks.example-0", url, on: "always" } as const;
const counts = { same: 3, differs: 1, missing: 2, recent: 0, ambiguous: 0, incomparable: 0 };
const report = {
  sync: "accounts",
  seed: 20_261_126,
  read: 5_000,
  counts: { ...counts, unanswered: 0 },
  calls: 6,
  left: 0,
  differing: { "account_properties.name": 1 },
  compared: {},
  incomparable: {},
};
const told = { report, workflowId: "w", at: "2026-11-26T04:00:00.000Z" };

describe("verifiedMessage", () => {
  it("says in Slack what was found, and how to see which records it was", () => {
    const { body } = verifiedMessage({ ...common, format: "slack" }, told, 0);
    expect(JSON.parse(body)).toEqual({
      text: [
        "accounts: same 3, differs 1, missing 2 (6 calls)",
        "differing: account_properties.name 1",
        "`sluice verify accounts --seed 20261126` shows the same records, for as many calls again",
      ].join("\n"),
    });
  });

  it("is an event whose type says whether somebody should look, by the same id each time", () => {
    const toEvents = { ...common, format: "event", secret: new Secret("shared") } as const;
    const first = verifiedMessage(toEvents, told, 1_000);
    const again = verifiedMessage(toEvents, told, 9_000);
    expect(JSON.parse(first.body)).toEqual({
      type: "verify.differs",
      timestamp: told.at,
      data: report,
    });
    expect(first.headers["webhook-id"]).toBe(again.headers["webhook-id"]);
    const calm = { ...report, counts: { ...report.counts, differs: 0, missing: 0 } };
    const same = verifiedMessage(toEvents, { ...told, report: calm }, 0);
    expect(JSON.parse(same.body)).toMatchObject({ type: "verify.same" });
  });

  it("has an id that receivers take, and one of its own for each look", () => {
    const toEvents = { ...common, format: "event", secret: new Secret("shared") } as const;
    const looks = [
      { workflowId: "sluice-p1.verify.accounts", at: told.at },
      { workflowId: "sluice-p1.verify.contacts", at: told.at },
      { workflowId: "sluice-p1.verify.contacts", at: "2026-12-03T04:00:00.000Z" },
    ];
    const ids = looks.map(
      (look) => verifiedMessage(toEvents, { report, ...look }, 0).headers["webhook-id"] ?? "",
    );
    expect(ids.filter(isDeliveryId)).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
  });

  it("says of a look that failed why, and what to do", () => {
    const error = { code: "Unauthorized", message: "the service refused the key", hint: "look" };
    const failed = { ...told, report: { sync: "accounts", error } };
    const { body } = verifiedMessage({ ...common, format: "slack" }, failed, 0);
    expect(JSON.parse(body)).toEqual({
      text: "accounts: the look failed: the service refused the key (Unauthorized)\n→ look",
    });
    const toEvents = { ...common, format: "event", secret: new Secret("shared") } as const;
    expect(JSON.parse(verifiedMessage(toEvents, failed, 0).body)).toMatchObject({
      type: "verify.failed",
      data: { sync: "accounts", error },
    });
  });
});
