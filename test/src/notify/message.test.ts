import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { NotifyConfig } from "../../../src/config/schema/notify.ts";
import { slackTextCharsMax } from "../../../src/notify/limits.ts";
import { notificationMessage, slackMessage } from "../../../src/notify/message.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { Secret } from "../../../src/security/secret.ts";
import { reportWith } from "../../support/project/report.ts";

const now = Date.UTC(2026, 0, 1, 2, 35, 7, 900);
const url = new Secret("https://hooks.example/T0/canary-path");
const common = { target: "hooks.example-0", url, on: "always" } as const;
const toEvents: NotifyConfig = { ...common, format: "event", secret: new Secret("shared") };
const toSlack: NotifyConfig = { ...common, format: "slack" };

const report = reportWith({
  run_id: "accounts-20260101-023000-0a1b2c3d",
  workflow_id: "sync-accounts",
  outcome: "done_with_rejects",
  mode: "heavyweight",
  mode_reason: "more than one chunk",
  counts: { read: 1_200, sent: 1_190, unchanged: 5, filtered: 0, rejected: 5 },
  bytes: { json: 9, gzip: 3 },
  requests: 3,
  reject_reasons: [{ code: "not_domain", reason: "not a domain", count: 5, example: "a.csv:7" }],
  warnings: ["the file is from yesterday"],
  started_at: "2026-01-01T02:30:00.000Z",
  ended_at: "2026-01-01T02:35:00.000Z",
  duration_ms: 300_000,
});

/** The text of the message to Slack. */
function slackText(changes: Partial<RunReport> = {}): string {
  const { body, headers } = notificationMessage(toSlack, { ...report, ...changes }, now);
  expect(headers).toEqual({ "content-type": "application/json" });
  return z.strictObject({ text: z.string() }).parse(JSON.parse(body)).text;
}

const hold = {
  number: 2,
  digest: "0123",
  since: "2026-01-01T02:34:00.000Z",
  broken: [{ guardrail: "new_above", figure: 600, of: null, bound: { count: 500 } }],
  approved_at: null,
};

describe("messageOf a run that is held", () => {
  const held: RunReport = { ...report, outcome: "held", ended_at: null, hold };

  it("is another event than that of its end, timed by the hold", () => {
    const { body, headers } = notificationMessage(toEvents, held, now);
    expect(headers).toMatchObject({ "webhook-id": `run_${report.run_id}_held_2` });
    expect(JSON.parse(body)).toMatchObject({
      type: "run.held",
      timestamp: hold.since,
      data: { hold },
    });
  });

  it("says in Slack what broke, and what to do", () => {
    const text = slackText(held);
    expect(text).toContain("new_above 500: 600 new\n");
    expect(text).toContain(`\`sluice approve ${report.run_id}\``);
  });

  it("says in Slack why records would be sent, and not that they were", () => {
    const none = { changed: 0, remapped: 0, unknown: 0, again: 0, fields: [] };
    const lines = slackText({ ...held, changes: { ...none, new: 600, vanished: 12 } }).split("\n");
    expect(lines.filter((line) => line.startsWith("sent:"))).toEqual([]);
    expect(lines).toContain("why: new 600");
    expect(lines).toContain("why: vanished 12: known, and not there any more");
  });
});

describe("messageOf an event", () => {
  it("carries the report, named by its outcome and timed by the run's end", () => {
    const { body } = notificationMessage(toEvents, report, now);
    expect(JSON.parse(body)).toEqual({
      type: "run.done_with_rejects",
      timestamp: "2026-01-01T02:35:00.000Z",
      data: report,
    });
  });

  it("is signed over id, time in seconds and body", () => {
    const { headers, body } = notificationMessage(toEvents, report, now);
    const time = "1767234907";
    const id = "run_accounts-20260101-023000-0a1b2c3d";
    const signature = createHmac("sha256", "shared").update(`${id}.${time}.${body}`);
    expect(headers).toEqual({
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": `v1,${signature.digest("base64")}`,
    });
  });

  it("is signed with each key that a secret of bare base64 may stand for", () => {
    const key = Buffer.alloc(24, 7);
    const bare = key.toString("base64");
    const { headers, body } = notificationMessage(
      { ...toEvents, secret: new Secret(bare) },
      report,
      now,
    );
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const signatures = [bare, key].map((one) =>
      createHmac("sha256", one).update(signed).digest("base64"),
    );
    expect(headers["webhook-signature"]).toBe(`v1,${signatures[0]} v1,${signatures[1]}`);
  });

  it("has the same id and body in every try, and the time of its own", () => {
    const first = notificationMessage(toEvents, report, now);
    const second = notificationMessage(toEvents, report, now + 60_000);
    expect([second.headers["webhook-id"], second.body]).toEqual([
      first.headers["webhook-id"],
      first.body,
    ]);
    expect(second.headers["webhook-timestamp"]).toBe("1767234967");
    expect(second.headers["webhook-signature"]).not.toBe(first.headers["webhook-signature"]);
  });
});

describe("messageOf for Slack", () => {
  it("says what became of the rows, why and where to look", () => {
    expect(slackText().split("\n")).toEqual([
      "accounts: done with rejects",
      "rows: read 1,200, sent 1,190, unchanged 5, filtered 0, rejected 5",
      "rejected: 5 × not a domain, first at a.csv:7",
      "warning: the file is from yesterday",
      "sluice runs show accounts-20260101-023000-0a1b2c3d",
    ]);
  });

  it("says of a pull what it wrote", () => {
    const pull = {
      written: 3,
      unchanged: 4,
      missing: 2,
      pages: 1,
      calls: 1,
      possibly_paid_twice: 0,
      repeated: 0,
      continued: false,
      finished: true,
    };
    const counts = { read: 10, sent: 0, unchanged: 4, filtered: 0, rejected: 1 };
    expect(slackText({ kind: "pull", counts, pull }).split("\n")[1]).toBe(
      "rows: read 10, written 3, unchanged 4, missing 2, rejected 1",
    );
  });

  it("says what failed and what to do", () => {
    const error = { code: "AuthFailed", message: "the key is refused", hint: "set another" };
    const lines = slackText({ outcome: "failed", error, balanced: false }).split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "accounts: failed",
      "the key is refused",
      "→ set another",
      "rows: read 1,200, sent 1,190, unchanged 5, filtered 0, rejected 5 (DOES NOT BALANCE)",
    ]);
  });

  it("lets foreign text neither call a channel, nor make links or lines (T18)", () => {
    const message = "no <!channel> & <https://evil.example|log in>\r\naccounts: done";
    expect(slackText({ error: { code: "x", message } }).split("\n")[1]).toBe(
      "no &lt;!channel&gt; &amp; &lt;https://evil.example|log in&gt;  accounts: done",
    );
  });

  it("cuts a text that is too long", () => {
    const bare = slackText({ warnings: [""] }).length;
    const lengths = [-1, 0, 1].map(
      (more) => slackText({ warnings: ["x".repeat(slackTextCharsMax - bare + more)] }).length,
    );
    expect(lengths).toEqual([slackTextCharsMax - 1, slackTextCharsMax, slackTextCharsMax]);
  });

  it("is not cut within a character", () => {
    const { body } = slackMessage(`${"x".repeat(slackTextCharsMax - 1)}😀`);
    expect(JSON.parse(body)).toEqual({ text: "x".repeat(slackTextCharsMax - 1) });
    const whole = `${"x".repeat(slackTextCharsMax - 2)}😀`;
    expect(JSON.parse(slackMessage(`${whole}y`).body)).toEqual({ text: whole });
  });
});
