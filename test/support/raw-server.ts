import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { Worker } from "node:worker_threads";

import { onTestFinished } from "vitest";
import { z } from "zod";

import { startSockets } from "../src/api/support.ts";

/** How a raw socket server handles each connection. */
export type Wire = (socket: Socket) => void;

/** A server on a free port that handles its connections as no HTTP server does. It closes with its test. */
export async function startRaw(wire: Wire): Promise<URL> {
  return await startSockets(wire);
}

/** Resolves when a request with a Content-Length has arrived whole. */
async function requestRead(socket: Socket): Promise<void> {
  let read = Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    socket.on("data", (bytes: Buffer) => {
      read = Buffer.concat([read, bytes]);
      const head = read.indexOf("\r\n\r\n");
      if (head === -1) return;
      const length = /^content-length: (\d+)/im.exec(read.subarray(0, head).toString("latin1"));
      if (read.length >= head + 4 + Number(length?.[1] ?? 0)) resolve();
    });
  });
}

/** Reads a request whole, then sends these bytes and leaves the connection open. */
export function answering(bytes: string): Wire {
  return (socket) => void requestRead(socket).then(() => socket.write(bytes));
}

async function pour(socket: Socket, head: string): Promise<void> {
  await requestRead(socket);
  socket.write(head);
  const more = (): void => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, " ")));
  };
  socket.on("drain", more);
  more();
}

/** Reads a request whole, then sends a head and a body without end. */
export function pouring(head: string): Wire {
  return (socket) => void pour(socket, head);
}

/**
 * A port of this machine that refuses connections: tcpmux, which nobody serves. A port that was free might be taken by
 * another test.
 */
export async function refusing(): Promise<URL> {
  return new URL("http://127.0.0.1:1");
}

/** Listens, then blocks its thread for good: nobody accepts connections. */
const deafThread = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    // The message leaves first.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;

/** The maximum time of a connection on this machine, by the system's own clock. */
const connectMs = 100;

/** A port at which connections hang: its queue is full, and the system drops any further ones. */
export async function blackHole(): Promise<URL> {
  const thread = new Worker(deafThread, { eval: true });
  const [port] = z.tuple([z.int()]).parse(await once(thread, "message"));
  const queued: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of queued) socket.destroy();
    await thread.terminate();
  });
  for (let isFull = false; !isFull;) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    queued.push(socket);
    await Promise.race([once(socket, "connect"), delay(connectMs)]);
    // On a busy machine the timer fires before we hear of a connection that was made at once: here we do.
    await setImmediate();
    isFull = socket.connecting;
  }
  return new URL(`http://127.0.0.1:${port}`);
}

/** Closes the connection at the first bytes of a TLS handshake. */
export const cutHandshake: Wire = (socket) => socket.once("data", () => socket.resetAndDestroy());

/** A TLS server with this certificate that answers nothing: no client may get that far. */
export async function startTls(certificate: {
  readonly cert: string;
  readonly key: string;
}): Promise<URL> {
  const server = createTlsServer(certificate, () => undefined);
  const url = await startSockets((socket) => void server.emit("connection", socket));
  return new URL(`https://${url.host}`);
}
