// The receiver's own parts with another inbox, for comparison: node bench/inbox/receiver.ts --inbox
// nothing|each --port 8090 \
//     --path /hooks/bench --secret whsec_… --folder state
// `nothing` keeps nothing: the upper limit of the rate. `each` is the same inbox with a transaction for
// every delivery. SIGTERM ends it.
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { z } from "zod";

import type * as Registry from "../../connectors/registry.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type * as Database from "../../src/inbox/sqlite/database.ts";
import type * as Log from "../../src/log.ts";
import type * as Server from "../../src/webhooks/server.ts";
import { built } from "../built.ts";

const { startReceiver } = await built<typeof Server>("src/webhooks/server.js");
const { openInboxDatabase } = await built<typeof Database>("src/inbox/sqlite/database.js");
const { sources } = await built<typeof Registry>("connectors/registry.js");
const { createLog } = await built<typeof Log>("src/log.js");

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { inbox: text, port: text, path: text, secret: text, folder: text },
});
const settings = z
  .object({
    inbox: z.enum(["nothing", "each"]),
    port: z.coerce.number(),
    path: z.string(),
    secret: z.string(),
    folder: z.string(),
  })
  .parse(values);

/** An inbox in the receiver's own thread. */
function inboxOf(kind: "nothing" | "each", folder: string): Inbox {
  const { close, ...methods } = openInboxDatabase(join(folder, "inbox.db"));
  return {
    inboxId: methods.inboxId,
    now: async () => methods.now(),
    keep: async (delivery) => {
      const keptNothing = { kept: delivery.events.length, wake: false };
      return (kind === "each" ? methods.keep([delivery])[0] : undefined) ?? keptNothing;
    },
    takeWakeUp: async (input) => methods.takeWakeUp(input),
    setAccepted: async (input) => methods.setAccepted(input),
    leaving: async (input) => methods.leaving(input),
    setLeaving: async (input) => methods.setLeaving(input),
    backlogs: async () => methods.backlogs(),
    read: async (input) => methods.read(input),
    get: async (input) => methods.get(input),
    prune: async (input) => methods.prune(input),
    erase: async (input) => methods.erase(input),
    forgetIds: async (input) => methods.forgetIds(input),
    close: async () => close(),
  };
}

const { path, secret, folder, port } = settings;
const push = sources.get("webhook")?.push;
if (push === undefined) throw new Error("there is no connector webhook");
const inbox = inboxOf(settings.inbox, folder);
const receiver = await startReceiver({
  pushed: [{ connection: "bench", push, config: push.config.parse({ path, secret, folder }) }],
  inbox,
  host: "127.0.0.1",
  port,
  wake: () => undefined,
  temporal: () => "unknown",
  now: Date.now,
  log: createLog("json"),
});
console.log(JSON.stringify({ ready: true }));
await once(process, "SIGTERM");
await receiver.close();
await inbox.close();
