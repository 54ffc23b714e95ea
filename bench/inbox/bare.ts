// Node's own server and nothing else, for comparison: it reads a delivery, checks its HMAC, parses it and
// answers 202. It has no routes, no limits, no metrics and keeps nothing: node bench/inbox/bare.ts --port
// 8090 --secret whsec_…. SIGTERM ends it.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { parseArgs } from "node:util";

import { z } from "zod";

import { keyOf } from "../../src/security/standard-webhooks.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { port: text, secret: text } });
const settings = z.object({ port: z.coerce.number(), secret: z.string() }).parse(values);
const key = keyOf(settings.secret);
const answer = '{"kept":1}';

function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const signed = `${headers["webhook-id"]?.toString()}.${headers["webhook-timestamp"]?.toString()}.`;
  const signature = createHmac("sha256", key).update(signed).update(body).digest("base64");
  return headers["webhook-signature"] === `v1,${signature}`;
}

const server = createServer((request, response) => {
  const blocks: Buffer[] = [];
  request.on("data", (block: Buffer) => blocks.push(block));
  request.once("end", () => {
    const body = Buffer.concat(blocks);
    const isTaken = isSigned(request, body) && typeof JSON.parse(body.toString()) === "object";
    const headers = { "content-type": "application/json", "content-length": answer.length };
    response.writeHead(isTaken ? 202 : 401, headers).end(answer);
  });
});
server.listen(settings.port, "127.0.0.1", () => console.log(JSON.stringify({ ready: true })));
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
