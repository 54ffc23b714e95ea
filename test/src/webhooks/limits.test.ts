import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import {
  receiverBodiesBytesMax,
  receiverHeaderLinesMax,
  receiverConnectionsMax,
  receiverHeadBytesMax,
} from "../../../src/webhooks/limits.ts";
import {
  ended,
  exchange,
  post,
  requestOf,
  startTestReceiver,
  statusesOf,
  type TestReceiver,
} from "./support.ts";

const host = "Host: localhost";
const bodyBytesMax = 1_000;

/** A body of this many bytes. */
function bodyOf(bytes: number): string {
  return `[{"id":"a"}]${" ".repeat(bytes - 12)}`;
}

function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

describe("the size of a body", () => {
  it.for([
    [bodyBytesMax - 1, 202],
    [bodyBytesMax, 202],
    [bodyBytesMax + 1, 413],
  ] as const)("of %i bytes is answered %i, declared or chunked", async ([bytes, status]) => {
    const receiver = await startTestReceiver({ config: { bodyBytesMax } });
    const declared = requestOf(
      bodyOf(bytes),
      host,
      `Content-Length: ${bytes}`,
      "Connection: close",
    );
    expect(statusesOf(await exchange(receiver, declared))).toEqual([status]);
    const parts = requestOf(
      chunked(bodyOf(bytes)),
      host,
      "Transfer-Encoding: chunked",
      "Connection: close",
    );
    expect(statusesOf(await exchange(receiver, parts))).toEqual([status === 202 ? 200 : 413]);
  });

  it("is looked at before a byte of the body is read", async () => {
    const receiver = await startTestReceiver({ config: { bodyBytesMax } });
    const text = await exchange(receiver, requestOf("", host, "Content-Length: 5000000000"));
    expect(statusesOf(text)).toEqual([413]);
    expect(text).toContain('{"error":{"code":"too_large"');
  });

  it("ends an endless chunked body at the limit; its sender reads the answer", async () => {
    const receiver = await startTestReceiver({ config: { bodyBytesMax } });
    const { socket, text } = open(receiver, requestOf("", host, "Transfer-Encoding: chunked"));
    const block = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on("drain", pour);
    pour();
    await ended(socket);
    expect(statusesOf(text())).toEqual([413]);
    expect(socket.bytesWritten).toBeLessThan(16 * 1024 * 1024);
  });

  it("does not let in what follows on the connection", async () => {
    const receiver = await startTestReceiver({ config: { bodyBytesMax } });
    const body = bodyOf(12);
    const next = requestOf(body, host, "Content-Length: 12");
    const text = await exchange(
      receiver,
      requestOf(chunked("x".repeat(bodyBytesMax + 1)), host, "Transfer-Encoding: chunked") + next,
    );
    expect(statusesOf(text)).toEqual([413]);
    expect(await receiver.inbox.backlogs()).toEqual([]);
  });

  it("is told to whoever asks before sending it", async () => {
    const receiver = await startTestReceiver({ config: { bodyBytesMax } });
    const asked = ["Expect: 100-continue", host, "Connection: close"];
    const large = requestOf("", ...asked, `Content-Length: ${bodyBytesMax + 1}`);
    expect(statusesOf(await exchange(receiver, large))).toEqual([413]);
    const { socket, text } = open(receiver, requestOf("", ...asked, "Content-Length: 12"));
    await once(socket, "data");
    expect(statusesOf(text())).toEqual([100]);
    socket.write(bodyOf(12));
    await ended(socket);
    expect(statusesOf(text())).toEqual([100, 202]);
  });

  it("counts as nothing where there is no body", async () => {
    const receiver = await startTestReceiver();
    const text = await exchange(receiver, requestOf("", host, "Connection: close"));
    expect(statusesOf(text)).toEqual([400]);
    expect(text).toContain('"not_json"');
  });
});

describe("what a receiver does not read (T14)", () => {
  it.for([
    ["gzip", 415],
    ["br", 415],
    ["identity, gzip", 415],
    ["identity", 202],
    ["Identity", 202],
  ] as const)("is a body whose Content-Encoding is %s: %i", async ([encoding, status]) => {
    const receiver = await startTestReceiver();
    const answer = await post(receiver, [{ id: "a" }], {
      headers: { "content-encoding": encoding },
    });
    expect(answer.status).toBe(status);
  });

  it("is what expects anything but 100-continue", async () => {
    const receiver = await startTestReceiver();
    const text = await exchange(
      receiver,
      requestOf(bodyOf(12), host, "Expect: gold", "Content-Length: 12"),
    );
    expect(statusesOf(text)).toEqual([417]);
  });

  it.for([
    [receiverHeaderLinesMax - 1, 202],
    [receiverHeaderLinesMax, 202],
    [receiverHeaderLinesMax + 1, 431],
  ] as const)(
    "is a head of more than so many lines: %i is answered %i",
    async ([lines, status]) => {
      const receiver = await startTestReceiver();
      const own = [host, "Content-Length: 12", "Connection: close"];
      // The line of the token counts too.
      const others = Array.from({ length: lines - own.length - 1 }, (_, index) => `x${index}: y`);
      const text = await exchange(receiver, requestOf(bodyOf(12), ...own, ...others));
      expect(statusesOf(text)).toEqual([status]);
    },
  );

  it("is a head of more bytes than one may have", async () => {
    const receiver = await startTestReceiver();
    const text = await exchange(
      receiver,
      requestOf("", host, `X: ${"y".repeat(receiverHeadBytesMax)}`),
    );
    expect(statusesOf(text)).toEqual([431]);
    expect(text).toContain('{"error":{"code":"head_too_large"');
  });

  it("is a head of 10,000 lines", async () => {
    const receiver = await startTestReceiver();
    const lines = Array.from({ length: 10_000 }, (_, index) => `x${index}: y`);
    expect(statusesOf(await exchange(receiver, requestOf("", host, ...lines)))).toEqual([431]);
  });
});

/** A connection to which this was written, and the answer so far. */
function open(
  { address }: TestReceiver,
  written: string,
): { readonly socket: Socket; readonly text: () => string } {
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  socket.on("error", () => undefined);
  socket.write(written);
  return { socket, text: () => text };
}

describe("a slow sender (T14)", () => {
  const slow = Object.entries({
    "that says nothing": { first: "", drip: "" },
    "that drips a head": {
      first: "POST /hooks/forms HTTP/1.1\r\nHost: localhost\r\n",
      drip: "x: y\r\n",
    },
    "that drips a body": { first: requestOf("", host, "Content-Length: 900"), drip: " " },
    "that drips chunks": {
      first: requestOf("", host, "Transfer-Encoding: chunked"),
      drip: "1\r\n \r\n",
    },
    "that stops in a body": { first: requestOf("[", host, "Content-Length: 900"), drip: "" },
  });

  it("is told 408 within seconds, whatever it is slow at", async () => {
    const receiver = await startTestReceiver();
    const toldOf = async ([what, { first, drip }]: (typeof slow)[number]): Promise<unknown> => {
      const startedMs = performance.now();
      const { socket, text } = open(receiver, first);
      const dripping = setInterval(() => socket.write(drip), 200);
      await ended(socket);
      clearInterval(dripping);
      const tookMs = performance.now() - startedMs;
      const isToldWhy = text().includes('{"error":{"code":"timeout"');
      return {
        what,
        statuses: statusesOf(text()),
        isToldWhy,
        isTimely: tookMs > 2_000 && tookMs < 15_000,
      };
    };
    const told = await Promise.all(slow.map(toldOf));
    expect(told).toEqual(
      slow.map(([what]) => ({ what, statuses: [408], isToldWhy: true, isTimely: true })),
    );
  });
});

describe("large bodies that never end (T14)", () => {
  it("are refused beyond what fits into the memory, and keep small deliveries from nothing", async () => {
    const declared = 8 * 1024 * 1024;
    const receiver = await startTestReceiver({ config: { bodyBytesMax: declared } });
    const head = requestOf("", host, `Content-Length: ${declared}`);
    const held = Array.from({ length: receiverBodiesBytesMax / declared }, () =>
      open(receiver, head),
    );
    // By then they are admitted: requests are handled in the order in which their heads arrive.
    await post(receiver, []);
    const more = await exchange(receiver, requestOf("", host, `Content-Length: ${declared}`));
    expect(statusesOf(more)).toEqual([503]);
    expect(more).toContain('{"error":{"code":"busy"');
    expect(await post(receiver, [{ id: "a" }])).toMatchObject({ status: 202 });
    const inChunks = async (bytes: number): Promise<readonly number[]> => {
      const request = requestOf(
        chunked(bodyOf(bytes)),
        host,
        "Transfer-Encoding: chunked",
        "Connection: close",
      );
      return statusesOf(await exchange(receiver, request));
    };
    // How long a body in chunks becomes shows only when it comes.
    expect(await inChunks(900)).toEqual([200]);
    expect(await inChunks(20_000)).toEqual([503]);
    const [first] = held;
    first?.socket.destroy();
    await expect
      .poll(async () => (await post(receiver, bodyOf(20_000))).status, { timeout: 10_000 })
      .toBe(200);
    expect(await inChunks(20_000)).toEqual([200]);
  });
});

describe("the number of connections", () => {
  it("leaves room for others when those that have it ask for nothing", async () => {
    const receiver = await startTestReceiver();
    const port = Number(receiver.address.port);
    const beIdle = async (): Promise<void> => {
      const socket = connect({ host: receiver.address.hostname, port });
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => undefined);
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "data");
    };
    // Not all at once: the kernel of a busy machine would reset some before the receiver hears of them.
    const atOnce = 256;
    for (let opened = 0; opened < receiverConnectionsMax; opened += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, beIdle));
    }
    // Connections beyond the limit get no answer; the first one makes room.
    const status = async (): Promise<number> => (await post(receiver, [{ id: "a" }])).status;
    await expect.poll(status, { timeout: 30_000 }).toBeLessThan(300);
  }, 60_000);
});
