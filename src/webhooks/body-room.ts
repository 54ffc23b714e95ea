import type { ServerResponse } from "node:http";

import { receiverBodiesBytesMax, receiverSmallBodyBytes } from "./limits.ts";

/**
 * The memory that large bodies share while they come in. Small bodies need no share: one for each possible connection
 * fits, and senders that stop in the middle of large ones cannot keep them out.
 */
export class BodyRoom {
  #bytes = 0;

  /**
   * Takes room until the response is done; false when there is none. A body larger than the whole room may have it
   * alone.
   */
  take(bytes: number, response: ServerResponse): boolean {
    if (bytes <= receiverSmallBodyBytes) return true;
    if (this.#bytes > 0 && this.#bytes + bytes > receiverBodiesBytesMax) return false;
    this.#bytes += bytes;
    response.once("close", () => (this.#bytes -= bytes));
    return true;
  }
}
