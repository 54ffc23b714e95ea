import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

import type { FaultAction } from "../faults/faults.ts";
import type { SandboxAnswer } from "./answers.ts";

/** Sends an answer whole. */
export function send(response: ServerResponse, answer: SandboxAnswer): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
}

/** Sends an answer whole and closes the connection, even if part of the request is unread. */
export async function sendAndClose(response: ServerResponse, answer: SandboxAnswer): Promise<void> {
  // The system then resets what the client still sends, as with any server that stops reading.
  response.once("finish", () => response.socket?.destroy());
  send(response, { ...answer, headers: { ...answer.headers, connection: "close" } });
  await closed(response);
}

/** Sends an answer as far, and in the way, that a fault allows; undefined and faults of other kinds change nothing. */
export async function reply(
  response: ServerResponse,
  answer: SandboxAnswer,
  fault: FaultAction | undefined,
): Promise<void> {
  if (fault === undefined) send(response, answer);
  else if ("dropReply" in fault) response.socket?.destroy();
  else if ("noAnswer" in fault) await closed(response);
  else if ("garble" in fault) send(response, { ...answer, ...garbled[fault.garble] });
  else if ("cutAt" in fault) await cut(response, answer, fault);
  else if ("dripMs" in fault) await drip(response, answer, fault.dripMs);
  else if ("stallAt" in fault) {
    begin(response, answer).write(bodyOf(answer).subarray(0, fault.stallAt));
    await closed(response);
  } else send(response, answer);
}

/** Resolves when the connection is gone. */
export async function closed(response: ServerResponse): Promise<void> {
  if (!response.destroyed && !response.closed) await once(response, "close");
}

const garbled = {
  "wrong-json": { headers: { "content-type": "application/json" }, body: '{"ok":[1,null]}' },
  "not-json": { headers: { "content-type": "application/json" }, body: '{"status":"succ' },
  html: {
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>Gateway</title><p>All is well.</p>\n",
  },
} as const;

/** Sent in place of an empty body, so that part of it can be missing. */
const filler = "stored\n";

function bodyOf({ body }: SandboxAnswer): Buffer {
  return Buffer.from(body === "" ? filler : body);
}

/** Sends the headers of an answer, with its full length. */
function begin(response: ServerResponse, answer: SandboxAnswer): ServerResponse {
  const { length } = bodyOf(answer);
  response.writeHead(answer.status, { ...answer.headers, "content-length": length });
  response.flushHeaders();
  return response;
}

async function cut(
  response: ServerResponse,
  answer: SandboxAnswer,
  { cutAt, framing }: Extract<FaultAction, { cutAt: number }>,
): Promise<void> {
  const body = bodyOf(answer);
  // Even an answer no longer than the cut must lack something.
  const sent = body.subarray(0, Math.min(cutAt, body.length - 1));
  if (framing === "close") {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(answer.status, { ...answer.headers, connection: "close" });
    response.end(sent);
    return;
  }
  begin(response, answer).write(sent, () => response.socket?.destroySoon());
  await closed(response);
}

async function drip(
  response: ServerResponse,
  answer: SandboxAnswer,
  everyMs: number,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  begin(response, answer);
  for (const byte of bodyOf(answer)) {
    await setTimeout(everyMs, undefined, { signal: gone.signal });
    response.write(Buffer.of(byte));
  }
  response.end();
}
