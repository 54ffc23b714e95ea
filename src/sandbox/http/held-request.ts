import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/** Reads a request whole, so that it can be carried out whether or not its client still waits. */
export async function heldRequest(request: IncomingMessage): Promise<IncomingMessage> {
  const body = await buffer(request);
  const held = new IncomingMessage(new Socket());
  const { headers, method, rawHeaders, url } = request;
  Object.assign(held, { headers, method, rawHeaders, url, complete: true });
  held.push(body);
  held.push(null);
  return held;
}
