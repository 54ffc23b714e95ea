import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";

/** A request's body: its text, or why it has none. */
export type RequestBody = { readonly bytes: number } & (
  | { readonly text: string }
  | { readonly text: undefined; readonly why: "not UTF-8" | "too long" }
);

/**
 * Reads a body of at most `bytesMax` bytes. The rest of a longer one is read and discarded in the background, because a
 * client whose bytes are not read sees a reset instead of the answer.
 * @throws when the client goes away.
 */
export async function readRequestBody(
  raw: IncomingMessage,
  bytesMax: number,
): Promise<RequestBody> {
  const declared = Number(raw.headers["content-length"] ?? 0);
  // Node itself discards a body that nobody began to read.
  if (declared > bytesMax) return { text: undefined, why: "too long", bytes: 0 };
  const chunks: Buffer[] = [];
  let bytes = 0;
  await consume(raw, (chunk) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    return bytes <= bytesMax;
  });
  if (bytes > bytesMax) return { text: undefined, why: "too long", bytes };
  const body = Buffer.concat(chunks);
  // Repairing it would hide a client that damages text.
  if (!isUtf8(body)) return { text: undefined, why: "not UTF-8", bytes };
  return { text: body.toString("utf8"), bytes };
}

/** The first piece of a body, as text, without consuming it. Empty when there is none. */
export async function peek(raw: IncomingMessage): Promise<string> {
  if (raw.readableLength === 0 && !raw.complete) {
    await Promise.race([once(raw, "readable"), once(raw, "close")]).catch(() => undefined);
  }
  const piece: unknown = raw.read();
  if (!Buffer.isBuffer(piece)) return "";
  raw.unshift(piece);
  return piece.toString("utf8");
}

/**
 * Reads and discards the body up to about `bytesMax` bytes, and returns how many were read. Ends early when the client
 * leaves.
 */
export async function readAway(raw: IncomingMessage, bytesMax: number): Promise<number> {
  let bytes = 0;
  if (bytesMax === 0) return bytes;
  const reading = consume(raw, (chunk) => {
    bytes += chunk.length;
    return bytes < bytesMax;
  });
  await reading.catch(() => undefined);
  return bytes;
}

/** Passes the chunks to `take`; resolves at the end of the body or when `take` first returns false. */
async function consume(raw: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    raw.on("data", (chunk: Buffer) => {
      if (!take(chunk)) resolve();
    });
    raw.once("end", resolve);
    raw.once("error", reject);
    raw.once("close", () => reject(new Error("the client went away")));
    // For an empty body `peek` may have read the end already, and the event has passed.
    if (raw.readableEnded) resolve();
    else if (raw.destroyed) reject(new Error("the client went away"));
  });
}
