import { describe, expect, it } from "vitest";
import { z } from "zod";

import { StateUnavailableError } from "../../../src/errors.ts";
import type { Delivery, Inbox } from "../../../src/inbox/inbox.ts";
import { receiverRetryAfterSeconds } from "../../../src/webhooks/limits.ts";
import {
  exchange,
  post,
  requestOf,
  startTestReceiver,
  statusesOf,
  type TestReceiver,
} from "./support.ts";

const logLine = z.object({ msg: z.string() });

const retryAfter = String(receiverRetryAfterSeconds);

async function ready(receiver: TestReceiver): Promise<{ status: number; text: string }> {
  const answer = await fetch(new URL("/readyz", receiver.address));
  return { status: answer.status, text: await answer.text() };
}

/** An inbox whose disk can be declared full, and the deliveries that it was asked to keep. */
function fullAtTimes(): {
  readonly wrap: (inbox: Inbox) => Inbox;
  readonly disk: { isFull: boolean };
  readonly asked: readonly Delivery[];
} {
  const disk = { isFull: false };
  const asked: Delivery[] = [];
  const wrap = (inbox: Inbox): Inbox => ({
    ...inbox,
    keep: async (delivery) => {
      asked.push(delivery);
      if (disk.isFull) throw new StateUnavailableError("database or disk is full");
      return await inbox.keep(delivery);
    },
  });
  return { wrap, disk, asked };
}

describe("a receiver that cannot write", () => {
  it("answers 503, says when to come again, stays up, and recovers alone", async () => {
    const { wrap, disk } = fullAtTimes();
    const receiver = await startTestReceiver({ inbox: wrap });
    disk.isFull = true;
    const refused = await post(receiver, [{ id: "a" }]);
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('{"error":{"code":"store"');
    expect(refused.headers.get("retry-after")).toBe(retryAfter);
    expect(await ready(receiver)).toEqual({
      status: 503,
      text: '{"store":"failing","temporal":"away"}',
    });
    disk.isFull = false;
    // Nobody posts meanwhile.
    await expect.poll(async () => (await ready(receiver)).status, { timeout: 10_000 }).toBe(200);
    expect(await post(receiver, [{ id: "a" }])).toMatchObject({ status: 202 });
    expect(receiver.logged.map((line) => logLine.parse(JSON.parse(line)).msg)).toEqual([
      "deliveries are refused, the inbox cannot be written: database or disk is full",
      "the inbox can be written again",
    ]);
  });

  it("refuses without reading for a moment, and never asks the inbox for a flood", async () => {
    const { wrap, disk, asked } = fullAtTimes();
    const receiver = await startTestReceiver({ inbox: wrap });
    disk.isFull = true;
    const startedMs = performance.now();
    expect(await post(receiver, [{ id: "a" }])).toMatchObject({ status: 503 });
    const head = requestOf("", "Host: localhost", "Content-Length: 90000", "Connection: close");
    const flood = Array.from({ length: 20 }, async () => await exchange(receiver, head));
    const answers = (await Promise.all(flood)).flatMap(statusesOf);
    expect(answers).toEqual(flood.map(() => 503));
    const seconds = (performance.now() - startedMs) / 1_000;
    // At most one try and one check a second.
    expect(asked.length).toBeLessThanOrEqual(2 + 2 * seconds);
  });

  it("refuses nobody because a delivery failed for which it is not to blame", async () => {
    const { wrap, disk } = fullAtTimes();
    const receiver = await startTestReceiver({ inbox: wrap });
    disk.isFull = true;
    expect(await post(receiver, "no JSON")).toMatchObject({ status: 400 });
    expect(await ready(receiver)).toMatchObject({ status: 200 });
  });
});

describe("a receiver whose inbox is above its mark", () => {
  it("refuses before it reads, and takes deliveries again once some were sent on", async () => {
    const receiver = await startTestReceiver({ config: { backlogMax: 3 } });
    expect(await post(receiver, [{ id: "a" }, { id: "b" }])).toMatchObject({ status: 202 });
    expect(await post(receiver, [{ id: "c" }])).toMatchObject({ status: 202 });
    const head = requestOf("", "Host: localhost", "Content-Length: 90000", "Connection: close");
    const refused = await exchange(receiver, head);
    expect(statusesOf(refused)).toEqual([503]);
    expect(refused).toContain('{"error":{"code":"backlog"');
    expect(refused).toContain(`retry-after: ${retryAfter}`);
    // Each connection has a backlog limit of its own.
    expect(await post(receiver, [{ id: "a" }], { path: "/hooks/crm" })).toMatchObject({
      status: 202,
    });
    await receiver.inbox.setAccepted({ connection: "forms", upTo: 1 });
    await expect
      .poll(async () => (await post(receiver, [{ id: "d" }])).status, {
        timeout: 10_000,
        interval: 100,
      })
      .toBe(202);
    expect(await post(receiver, [{ id: "e" }])).toMatchObject({ status: 503 });
  });

  it("knows what was there before it started, and what others keep", async () => {
    const receiver = await startTestReceiver({
      config: { backlogMax: 1 },
      inbox: async (inbox) => {
        await inbox.keep({ connection: "forms", receivedAt: Date.now(), events: [{ json: "{}" }] });
        return inbox;
      },
    });
    expect(await post(receiver, [{ id: "a" }])).toMatchObject({ status: 503 });
    const other = { connection: "crm", receivedAt: Date.now(), events: [{ json: "{}" }] };
    await receiver.inbox.keep(other);
    await expect
      .poll(async () => (await post(receiver, [], { path: "/hooks/crm" })).status, {
        timeout: 10_000,
      })
      .toBe(503);
  });
});
