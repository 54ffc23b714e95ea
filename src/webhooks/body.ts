import type { IncomingMessage } from "node:http";

/** A request's whole body, or why there is none: it is larger than allowed, or its sender is gone. */
export type DeliveryBody = Buffer | "gone" | "too_large";

/** Reads a body of at most `bytesMax` bytes; the rest of a larger one is left unread. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<DeliveryBody> {
  return await new Promise((resolve) => {
    const blocks: Buffer[] = [];
    let bytes = 0;
    const onData = (block: Buffer): void => {
      bytes += block.length;
      blocks.push(block);
      if (bytes <= bytesMax) return;
      request.off("data", onData);
      resolve("too_large");
    };
    request.on("data", onData);
    request.once("end", () => {
      const [first] = blocks;
      resolve(first !== undefined && blocks.length === 1 ? first : Buffer.concat(blocks, bytes));
    });
    request.once("error", () => resolve("gone"));
  });
}
