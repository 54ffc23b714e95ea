import { spawn, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";

import { request } from "undici";
import { z } from "zod";

import { canaries, refuseCanaries } from "../canaries.ts";
import { end, until, watch, type Ended } from "../process/process.ts";
import { bin, type AtEnd, type Project } from "../project/project.ts";

/** A `sluice.yaml` with a connection `forms` that receives deliveries; a sync makes a contact event of each event. */
export function formsConfig(): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_LEGACY_BASE_URL}
  api_key: ${canaries.apiKey}
  requests_per_second: 1000
connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  submissions:
    from: forms
    stream: contact_event
    send: all
    record:
      event_id: data.id
      contact_id: { column: data.email, as: email }
      event: type
      event_timestamp: { column: timestamp, as: datetime }
      event_properties: {}
advanced: { heartbeat_timeout: 10s, retry_initial: 500ms }
`;
}

/** The nth event of a form, as its sender writes it. */
export function submission(n: number): string {
  const data = { id: `event-${n}`, email: `somebody@c${n}.example` };
  return JSON.stringify({ type: "form.submitted", timestamp: "2026-11-20T09:15:00Z", data });
}

/** A delivery; its sender calls it `canary-delivery-<id>`. */
type Delivery = { readonly id: string; readonly body: string; readonly secret?: string };

/** The headers of Standard Webhooks, made without sluice's code. */
function signedHeaders({
  id: mark,
  body,
  secret = canaries.webhookSecret,
}: Delivery): Record<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  const id = `canary-delivery-${mark}`;
  const hmac = createHmac("sha256", secret).update(`${id}.${now}.${body}`);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(now),
    "webhook-signature": `v1,${hmac.digest("base64")}`,
  };
}

/**
 * Posts a delivery to the connection `forms`, once.
 * @returns the status.
 * @throws {Error} there was no answer, or the answer reveals something of the delivery.
 */
export async function deliver(address: string, delivery: Delivery): Promise<number> {
  const { body } = delivery;
  const headers = signedHeaders(delivery);
  const answer = await request(`${address}/hooks/forms`, { method: "POST", headers, body });
  const text = `${JSON.stringify(answer.headers)}${await answer.body.text()}`;
  refuseCanaries({ what: "an answer of the receiver", text });
  return answer.statusCode;
}

/** Delivers the nth event of a form under its own id, once. @returns the status @throws {Error} as `deliver`. */
export async function postSubmission(address: string, n: number): Promise<number> {
  return await deliver(address, { id: `${n}`, body: submission(n) });
}

const readyLine = z.object({ address: z.string() });
const eventLine = z.object({ record: z.looseObject({ event_id: z.string() }) });

/** Ids of the contact events that the sandbox holds. */
export async function eventIds({ sandbox }: Project): Promise<Set<string>> {
  const { body } = await request(`${sandbox.address}/_sandbox/records?stream=contact_event`);
  const lines = (await body.text()).split("\n").filter((line) => line !== "");
  return new Set(lines.map((line) => eventLine.parse(JSON.parse(line)).record.event_id));
}

/** Waits until the sandbox holds this many events. */
export async function arrived(project: Project, count: number): Promise<void> {
  await until(async () => (await eventIds(project)).size >= count);
}

/** Waits until every drain has ended; returns how many records the sandbox took. Repeated ones count each time. */
export async function takenInAll(project: Project): Promise<number> {
  const query = "ExecutionStatus='Running'";
  await until(async () => {
    for await (const _ of project.temporal.client.workflow.list({ query })) return false;
    return true;
  });
  const taken = (await project.ledger()).filter(({ applied }) => applied);
  return taken.reduce((sum, { records }) => sum + (records ?? 0), 0);
}

/** A `sluice webhooks` process. */
export class ReceiverProcess {
  readonly address: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;

  private constructor(parts: Pick<ReceiverProcess, "address" | "child" | "ended">) {
    ({ address: this.address, child: this.child, ended: this.ended } = parts);
  }

  /** Starts it and returns once it listens, on a free port unless one is given. */
  static async start(
    project: Project,
    atEnd: AtEnd,
    { port = 0, env = {} }: { readonly port?: number; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<ReceiverProcess> {
    const child = spawn(process.execPath, [bin, "webhooks", "--port", String(port), "--json"], {
      cwd: project.folder,
      env: { ...project.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { printed, ended } = watch(child);
    atEnd(async () => {
      await end(child, "SIGKILL");
      await ended;
    });
    const line = await until(async () => {
      if (child.exitCode !== null) throw new Error(`the receiver ended: ${printed().stderr}`);
      return await Promise.resolve(/^\{.*\}$/m.exec(printed().stdout)?.[0]);
    });
    return new ReceiverProcess({ ...readyLine.parse(JSON.parse(line)), child, ended });
  }
}
