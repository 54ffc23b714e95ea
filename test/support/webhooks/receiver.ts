import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";

import { onTestFinished } from "vitest";
import { z } from "zod";

import { keepEvidence } from "../canaries.ts";

/** The secret that test receivers share with sluice. */
export const receiverSecret: string = `whsec_${Buffer.from("canary-notify-key-of-28-bytes").toString("base64")}`;

const eventBody = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.looseObject({ run_id: z.string(), outcome: z.string() }),
});

/** A notification as a receiver received it. */
export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

/**
 * Reads an event as Standard Webhooks says receivers should. @throws {Error} it is not signed with the shared secret,
 * or is old.
 */
export function verified({ headers, body }: Received): z.output<typeof eventBody> {
  const id = z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .parse(headers["webhook-id"]);
  const sent = z
    .string()
    .regex(/^\d{10}$/)
    .parse(headers["webhook-timestamp"]);
  if (Math.abs(Date.now() / 1_000 - Number(sent)) > 300) throw new Error("it is minutes old");
  const key = Buffer.from(receiverSecret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${sent}.${body}`).digest("base64");
  const signatures = String(headers["webhook-signature"]).split(" ");
  if (!signatures.includes(`v1,${expected}`)) throw new Error("its signature is wrong");
  return eventBody.parse(JSON.parse(body));
}

/** A receiver of notifications about runs, on a free port. Closes with its test. */
export class Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /**
   * The statuses that answer the next notifications, in order; 204 if there is nothing left, "never" sends no answer.
   */
  readonly answers: (number | "never")[];

  private constructor(parts: Pick<Receiver, "answers" | "received" | "url">) {
    this.url = parts.url;
    this.received = parts.received;
    this.answers = parts.answers;
  }

  static async start(...answers: readonly (number | "never")[]): Promise<Receiver> {
    const received: Received[] = [];
    const left = [...answers];
    const server = createServer((request, response) => {
      const blocks: Buffer[] = [];
      request.on("data", (block: Buffer) => blocks.push(block));
      request.on("end", () => {
        received.push({ headers: request.headers, body: Buffer.concat(blocks).toString() });
        const answer = left.shift() ?? 204;
        if (answer !== "never") response.writeHead(answer).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      const text = JSON.stringify(received);
      await keepEvidence({ what: "what a receiver of notifications was told", text });
    });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return new Receiver({
      url: `http://127.0.0.1:${port}/hooks/canary-path`,
      received,
      answers: left,
    });
  }
}
