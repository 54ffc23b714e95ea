import type { IncomingMessage } from "node:http";

import { receiverSmallBodyBytes } from "./limits.ts";

/** A request's whole body, or why there is none: it is larger than allowed or than fits now, or its sender is gone. */
export type DeliveryBody = Buffer | "busy" | "gone" | "too_large";

/**
 * Reads a body of at most `bytesMax` bytes; the rest of one that is refused is left unread. `mayGrow` is asked once,
 * when a body turns out to be large.
 */
export async function readBody(
  request: IncomingMessage,
  { bytesMax, mayGrow }: { readonly bytesMax: number; readonly mayGrow: () => boolean },
): Promise<DeliveryBody> {
  return await new Promise((resolve) => {
    const blocks: Buffer[] = [];
    let bytes = 0;
    const onData = (block: Buffer): void => {
      const wasSmall = bytes <= receiverSmallBodyBytes;
      bytes += block.length;
      blocks.push(block);
      const isTooLarge = bytes > bytesMax;
      const growsNow = wasSmall && bytes > receiverSmallBodyBytes;
      if (!isTooLarge && (!growsNow || mayGrow())) return;
      request.off("data", onData);
      resolve(isTooLarge ? "too_large" : "busy");
    };
    request.on("data", onData);
    request.once("end", () => {
      const [first] = blocks;
      resolve(first !== undefined && blocks.length === 1 ? first : Buffer.concat(blocks, bytes));
    });
    request.once("error", () => resolve("gone"));
  });
}
