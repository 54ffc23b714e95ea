import { describe, expect, it } from "vitest";

import {
  exchange,
  post,
  requestOf,
  startTestReceiver,
  statusesOf,
  type TestReceiver,
} from "./support.ts";

async function get(
  { address }: TestReceiver,
  path: string,
): Promise<{ status: number; text: string; type: string | null }> {
  const answer = await fetch(new URL(path, address));
  return {
    status: answer.status,
    text: await answer.text(),
    type: answer.headers.get("content-type"),
  };
}

/** The samples of `/metrics`, without the buckets. */
async function samples(receiver: TestReceiver): Promise<Readonly<Record<string, number>>> {
  const { text } = await get(receiver, "/metrics");
  const lines = text.split("\n").filter((line) => line !== "" && !/^#|_bucket/.test(line));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(" ")),
      Number(line.slice(line.lastIndexOf(" "))),
    ]),
  );
}

describe("the paths /livez and /readyz", () => {
  it("say that the receiver lives, that it can keep things, and how Temporal is", async () => {
    const receiver = await startTestReceiver();
    expect(await get(receiver, "/livez")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await get(receiver, "/readyz")).toEqual({
      status: 200,
      text: '{"store":"ok","temporal":"away"}',
      type: "application/json; charset=utf-8",
    });
  });

  it.for(["/livez", "/readyz", "/metrics"])("take nothing else: %s", async (path) => {
    const receiver = await startTestReceiver();
    const refused = await post(receiver, {}, { path });
    expect(refused.status).toBe(405);
    expect(refused.headers.get("allow")).toBe("GET, HEAD");
    const request = requestOf("", "Host: localhost", "Content-Length: 5000000000");
    const flooded = request.replace("POST /hooks/forms", `GET ${path}`);
    expect(statusesOf(await exchange(receiver, flooded))).toEqual([413]);
  });
});

describe("the log", () => {
  it("says of each connection why a delivery is not believed, once in a while", async () => {
    const receiver = await startTestReceiver();
    const headers = { authorization: "Bearer canary" };
    for (const path of ["/hooks/forms", "/hooks/forms", "/hooks/crm"]) {
      await post(receiver, [{ id: "canary" }], { path, headers });
    }
    const told = receiver.logged.map((line): unknown => JSON.parse(line));
    expect(told).toMatchObject([
      { connection: "forms", reason: "bad_token" },
      { connection: "crm", reason: "bad_token" },
    ]);
    expect(receiver.logged.join()).not.toContain("canary");
  });
});

describe("the path /metrics", () => {
  it("counts what came, what was refused and why, what was had, what was kept and how long it took", async () => {
    const receiver = await startTestReceiver();
    await post(receiver, [{ id: "a" }, { id: "b" }]);
    await post(receiver, [{ id: "a" }, { id: "c" }]);
    await post(receiver, [{ id: "a" }]);
    await post(receiver, "no JSON");
    await post(receiver, [], { headers: { authorization: "no" } });
    await post(receiver, [], { headers: { "content-encoding": "gzip" } });
    expect(await samples(receiver)).toMatchObject({
      'sluice_webhook_received_total{connection="forms"}': 6,
      'sluice_webhook_refused_total{connection="forms",reason="not_json"}': 1,
      'sluice_webhook_refused_total{connection="forms",reason="bad_token"}': 1,
      'sluice_webhook_refused_total{connection="forms",reason="encoded"}': 1,
      'sluice_webhook_duplicates_total{connection="forms"}': 2,
      'sluice_webhook_kept_events_total{connection="forms"}': 3,
      'sluice_webhook_ack_seconds_count{connection="forms"}': 3,
      'sluice_webhook_received_total{connection="crm"}': 0,
      sluice_webhook_store_up: 1,
    });
  });

  it("shows the backlog and the age of its oldest event", async () => {
    const receiver = await startTestReceiver();
    const receivedAt = Date.now() - 60_000;
    await receiver.inbox.keep({
      connection: "forms",
      receivedAt,
      events: [{ json: "{}" }, { json: "{}" }],
    });
    const backlog = 'sluice_webhook_backlog{connection="forms"}';
    await expect.poll(async () => (await samples(receiver))[backlog], { timeout: 10_000 }).toBe(2);
    const shown = await samples(receiver);
    const age = shown['sluice_webhook_oldest_age_seconds{connection="forms"}'];
    expect(age).toBeGreaterThanOrEqual(60);
    expect(age).toBeLessThan(120);
    expect(shown['sluice_webhook_oldest_age_seconds{connection="crm"}']).toBe(0);
  });

  it("puts whatever is asked for elsewhere under one name", async () => {
    const receiver = await startTestReceiver();
    for (const path of ["/a", "/b", "/hooks/canary"]) await post(receiver, {}, { path });
    await exchange(receiver, "canary\r\n\r\n");
    const { text } = await get(receiver, "/metrics");
    expect(text).toContain('sluice_webhook_refused_total{connection="-",reason="not_found"} 3');
    expect(text).toContain('sluice_webhook_refused_total{connection="-",reason="malformed"} 1');
    expect(text).not.toContain("canary");
  });
});
