import { connect, type Socket } from "node:net";

import { pino } from "pino";
import { onTestFinished } from "vitest";
import { z } from "zod";

import { pushSource, type PushSource, type Received } from "../../../connectors/contract/push.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { openSqliteInbox } from "../../../src/inbox/sqlite/open.ts";
import { startReceiver } from "../../../src/webhooks/server.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const endpointConfig = z.object({
  path: z.string(),
  bodyBytesMax: z.int().default(100_000),
  backlogMax: z.int().default(1_000),
});

/** Reads what a test sender posts: a list of events, each with an id, authenticated by a bearer token. */
function received(headers: Readonly<Record<string, string | undefined>>, body: Buffer): Received {
  if (headers["authorization"] !== "Bearer token") return { refuse: 401, reason: "bad_token" };
  try {
    const events = z
      .array(z.object({ id: z.string().optional() }))
      .parse(JSON.parse(body.toString()));
    return { events: events.map((event) => ({ json: JSON.stringify(event), id: event.id })) };
  } catch {
    return { refuse: 400, reason: "not_json", message: "It is not a list." };
  }
}

/** A connector for the tests' posts. */
export const posts: PushSource = pushSource({
  name: "posts",
  config: endpointConfig,
  endpoint: (config) => ({ ...config, lingerMs: 0, retentionMs: 0 }),
  receive: ({ request }) => received(request.headers, request.body),
});

/** A receiver on a free port, and the effects of its work. */
export type TestReceiver = {
  readonly address: URL;
  readonly inbox: Inbox;
  readonly woken: readonly string[];
  /** Lines of the log. */
  readonly logged: readonly string[];
  close(): Promise<void>;
};

/** Starts a receiver with an endpoint at /hooks/forms and one at /hooks/crm. It closes with its test. */
export async function startTestReceiver(
  settings: {
    readonly push?: PushSource;
    readonly config?: Partial<z.input<typeof endpointConfig>>;
    /** Replaces the folder's inbox. */
    readonly inbox?: (inbox: Inbox) => Inbox | Promise<Inbox>;
    readonly now?: () => number;
  } = {},
): Promise<TestReceiver> {
  const { push = posts, config = {}, inbox: wrap = (inbox: Inbox) => inbox } = settings;
  const opened = await openSqliteInbox(await temporaryFolder());
  onTestFinished(async () => await opened.close());
  const inbox = await wrap(opened);
  const woken: string[] = [];
  const logged: string[] = [];
  const configAt = (path: string): unknown => endpointConfig.parse({ path, ...config });
  const receiver = await startReceiver({
    pushed: [
      { connection: "forms", push, config: configAt("/hooks/forms") },
      { connection: "crm", push, config: configAt("/hooks/crm") },
    ],
    inbox,
    host: "127.0.0.1",
    port: 0,
    wake: (connection) => woken.push(connection),
    temporal: () => "away",
    now: settings.now ?? Date.now,
    log: pino({}, { write: (line: string) => logged.push(line) }),
  });
  onTestFinished(async () => await receiver.close());
  onTestFinished(async () => await inbox.close());
  return { ...receiver, inbox, woken, logged };
}

/** An answer, and whether its connection was kept. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Posts events to the endpoint of `forms`. */
export async function post(
  { address }: Pick<TestReceiver, "address">,
  body: string | object,
  how: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const { path = "/hooks/forms", headers } = how;
  const answer = await fetch(new URL(path, address), {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: "Bearer token", ...headers },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Everything that a connection receives from its first byte to its end; `pieces` are written one after the other. */
export async function exchange(
  { address }: Pick<TestReceiver, "address">,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  // A reset after the answer counts as an end too.
  socket.on("error", () => undefined);
  for (const piece of pieces) socket.write(piece);
  await ended(socket);
  return text;
}

/** Resolves when a connection has ended, in whatever way. */
export async function ended(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once("close", resolve));
}

/** The lines of a request with an authenticated body, ready to be altered; each ends with CR LF. */
export function requestOf(body: string, ...headers: readonly string[]): string {
  const lines = ["POST /hooks/forms HTTP/1.1", ...headers, "Authorization: Bearer token"];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The statuses of the answers received on a connection. */
export function statusesOf(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
