import { once } from "node:events";
import { connect } from "node:net";

import { pino } from "pino";
import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../src/errors.ts";
import { deliveryEventsMax } from "../../../src/limits.ts";
import { startReceiver } from "../../../src/webhooks/server.ts";
import { exchange, post, posts, requestOf, startTestReceiver, statusesOf } from "./support.ts";

function manyEvents(count: number): readonly object[] {
  return Array.from({ length: count }, () => ({}));
}

describe("startReceiver", () => {
  it("answers 202 once a delivery is kept, and wakes when nobody has", async () => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, [{ id: "a" }, { id: "b" }]);
    expect(answer).toMatchObject({ status: 202, text: '{"kept":2}' });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    await post(receiver, [{ id: "c" }]);
    const rows = await receiver.inbox.read({ connection: "forms", after: 0, limit: 10 });
    expect(rows.map(({ json }) => json)).toEqual(['{"id":"a"}', '{"id":"b"}', '{"id":"c"}']);
    expect(receiver.woken).toEqual(["forms"]);
  });

  it("answers nothing before a delivery is kept", async () => {
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const receiver = await startTestReceiver({
      inbox: (inbox) => ({
        ...inbox,
        keep: async (delivery) => {
          asked.resolve();
          await held.promise;
          return await inbox.keep(delivery);
        },
      }),
    });
    let answered = false;
    const posting = post(receiver, [{ id: "a" }]).finally(() => (answered = true));
    await asked.promise;
    // It had time to answer other requests.
    for (let times = 0; times < 5; times++) await fetch(new URL("/livez", receiver.address));
    expect([answered, receiver.woken]).toEqual([false, []]);
    held.resolve();
    expect(await posting).toMatchObject({ status: 202 });
  });

  it("answers 200 to what it had, and wakes no more for it", async () => {
    const receiver = await startTestReceiver();
    await post(receiver, [{ id: "a" }]);
    await receiver.inbox.takeWakeUp({ connection: "forms" });
    expect(await post(receiver, [{ id: "a" }])).toMatchObject({ status: 200, text: '{"kept":0}' });
    expect(await post(receiver, [{ id: "a" }, { id: "b" }])).toMatchObject({
      status: 202,
      text: '{"kept":1}',
    });
    expect(receiver.woken).toEqual(["forms", "forms"]);
  });

  it("keeps connections apart", async () => {
    const receiver = await startTestReceiver();
    for (const path of ["/hooks/forms", "/hooks/crm"]) {
      expect(await post(receiver, [{ id: "a" }], { path })).toMatchObject({ status: 202 });
    }
    expect(receiver.woken).toEqual(["forms", "crm"]);
  });

  it("takes a delivery of nothing, and keeps nothing", async () => {
    const receiver = await startTestReceiver();
    expect(await post(receiver, [])).toMatchObject({ status: 202, text: '{"kept":0}' });
    expect(await receiver.inbox.backlogs()).toEqual([]);
  });

  it.for([
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "nonsense",
    ";",
    "",
  ])("takes a body whatever its sender calls it: %j", async (type) => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, [{ id: "a" }], { headers: { "content-type": type } });
    expect(answer.status).toBe(202);
  });

  it("hands the connector the bytes, the query and all headers of a delivery", async () => {
    const seen: unknown[] = [];
    const receiver = await startTestReceiver({
      push: {
        ...posts,
        receive: ({ request }) => {
          seen.push([
            request.headers,
            Object.fromEntries(request.query),
            request.body.toString("latin1"),
          ]);
          return { events: [] };
        },
      },
    });
    const body = "\xff\xfe\x00 [";
    const head = [
      "POST /hooks/forms?a=1&b=%2F HTTP/1.1",
      "Host: localhost",
      "Content-Type: a",
      "Content-Type: b",
      "X-Twice: 1",
      "x-twice: 2",
      `Content-Length: ${body.length}`,
      "Connection: close",
    ];
    await exchange(receiver, Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1"));
    expect(seen).toEqual([
      [
        {
          host: "localhost",
          "content-type": "a, b",
          "x-twice": "1, 2",
          "content-length": "5",
          connection: "close",
        },
        { a: "1", b: "/" },
        body,
      ],
    ]);
  });

  it("tells nobody why a delivery is not believed", async () => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, "{}", { headers: { authorization: "Bearer wrong" } });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text)).toEqual({
      error: { code: "unauthorized", message: "The delivery is not signed as it should be." },
    });
  });

  it("says what cannot be read of a delivery that is believed", async () => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, "no JSON: canary");
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      error: { code: "not_json", message: "It is not a list." },
    });
  });

  it("takes no more events at once than the inbox writes at once, whatever the connector makes", async () => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, manyEvents(deliveryEventsMax + 1));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        code: "too_many_events",
        message: "There are more than 1000 events in it: post them in several deliveries.",
      },
    });
    expect(await post(receiver, manyEvents(deliveryEventsMax))).toMatchObject({ status: 202 });
    expect(await receiver.inbox.backlogs()).toMatchObject([{ waiting: deliveryEventsMax }]);
  });

  it.for([
    "/",
    "/hooks",
    "/hooks/forms/",
    "/hooks/forms/x",
    "/hooks/other",
    "/%zz",
    "/hooks/%",
    "*",
  ])("does not know the path %s", async (path) => {
    const receiver = await startTestReceiver();
    const request = requestOf("", "Host: localhost", "Content-Length: 0", "Connection: close");
    const text = await exchange(receiver, request.replace("/hooks/forms", path));
    expect(statusesOf(text)).toEqual([404]);
    expect(text).toContain('{"error":{"code":"not_found"');
    expect(text).not.toContain("hooks");
  });

  it.for(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"])(
    "takes nothing but POST where deliveries come in: %s",
    async (method) => {
      const receiver = await startTestReceiver();
      const request = requestOf("", "Host: localhost", "Connection: close");
      const text = await exchange(receiver, request.replace("POST", method));
      expect(statusesOf(text)).toEqual([405]);
      expect(text).toMatch(/^allow: POST\r$/m);
    },
  );

  it("answers a failure of its own without a word about it, and logs it", async () => {
    const receiver = await startTestReceiver({
      push: {
        ...posts,
        receive: () => {
          throw new TypeError("canary of a bug");
        },
      },
    });
    const answer = await post(receiver, [{ id: "a" }]);
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('{"error":{"code":"failed"');
    expect(answer.text).not.toContain("canary");
    expect(receiver.logged.join("")).toContain("canary of a bug");
  });

  it("keeps a connection for the next delivery, also after a refusal", async () => {
    const receiver = await startTestReceiver();
    const one = requestOf('[{"id":"a"}]', "Host: localhost", "Content-Length: 12");
    const unread = one.replace("/hooks/forms", "/hooks/other");
    const last = one.replace("Host", "Connection: close\r\nHost").replace('"a"', '"b"');
    expect(statusesOf(await exchange(receiver, one, unread, one, last))).toEqual([
      202, 404, 200, 202,
    ]);
  });

  it("answers a delivery that is kept before it ends its connection over what follows", async () => {
    const receiver = await startTestReceiver();
    const one = requestOf('[{"id":"a"}]', "Host: localhost", "Content-Length: 12");
    const text = await exchange(receiver, `${one}no request\r\n\r\n`);
    expect(statusesOf(text)).toEqual([202]);
  });

  it("serves HTTP/1.0, as some proxies speak it", async () => {
    const receiver = await startTestReceiver();
    const one = requestOf('[{"id":"a"}]', "Content-Length: 12").replace("1.1", "1.0");
    expect(statusesOf(await exchange(receiver, one))).toEqual([202]);
  });

  it("says what it is nowhere", async () => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, [{ id: "a" }]);
    expect([...answer.headers.keys()].toSorted()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "date",
      "keep-alive",
    ]);
  });

  it("says where it cannot listen", async () => {
    const { address, inbox } = await startTestReceiver();
    const parts = { pushed: [], inbox, host: "127.0.0.1", port: Number(address.port) };
    const rest = { wake: () => undefined, temporal: () => "unknown" as const, now: Date.now };
    await expect(
      startReceiver({ ...parts, ...rest, log: pino({ enabled: false }) }),
    ).rejects.toThrow(ConfigError);
  });
});

describe("the close of a receiver", () => {
  it("answers what is under way, and takes no more", async () => {
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const receiver = await startTestReceiver({
      inbox: (inbox) => ({
        ...inbox,
        keep: async (delivery) => {
          arrived.resolve();
          await held.promise;
          return await inbox.keep(delivery);
        },
      }),
    });
    const answer = post(receiver, [{ id: "a" }]);
    await arrived.promise;
    const closed = receiver.close();
    await expect
      .poll(
        async () =>
          await post(receiver, []).then(
            () => "open",
            () => "closed",
          ),
        { timeout: 10_000 },
      )
      .toBe("closed");
    held.resolve();
    expect(await answer).toMatchObject({ status: 202 });
    expect((await answer).headers.get("connection")).toBe("close");
    await closed;
  });

  it("waits for no connection that asks nothing, whether it has or not", async () => {
    const receiver = await startTestReceiver();
    await post(receiver, []);
    const socket = connect({ host: "127.0.0.1", port: Number(receiver.address.port) });
    await once(socket, "connect");
    const ended = once(socket, "close");
    const startedMs = performance.now();
    await receiver.close();
    await ended;
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});
