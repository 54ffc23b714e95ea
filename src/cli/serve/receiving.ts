import type { Client } from "@temporalio/client";
import type { Logger } from "pino";

import type { Config } from "../../config/config.ts";
import { TemporalUnreachableError } from "../../errors.ts";
import { openInbox } from "../../inbox/open.ts";
import { storesOn } from "../../local/presence.ts";
import { createDoorbell } from "../../webhooks/doorbell.ts";
import { startReceiver } from "../../webhooks/server.ts";
import { table, withState, type Context } from "../output/context.ts";
import { reachTemporal } from "../running/reach-temporal.ts";
import { unreadTexts, type PostedConnection } from "./push-connections.ts";

/** What a command receives deliveries with. */
export type ReceivingSettings = {
  readonly config: Config;
  readonly posted: readonly PostedConnection[];
  /** 0 takes a free one. */
  readonly port: number;
  /** How Temporal is reached, anew after each loss; it may throw. */
  readonly connect: () => Promise<Client>;
  readonly log: Logger;
};

/** A receiver that takes deliveries. */
export type Receiving = {
  readonly address: URL;
  /** Takes no more, answers what has come, and resolves. */
  close(): Promise<void>;
};

/**
 * Starts a receiver, and rings for what has waited since there was none. It lives without Temporal.
 * @throws {ConfigError} it cannot listen there. @throws {StateUnavailableError} the inbox cannot be opened.
 */
export async function startReceiving(
  { config, posted, port, connect, log }: ReceivingSettings,
  { environment: { host } }: Pick<Context, "environment">,
): Promise<Receiving> {
  await using closing = new AsyncDisposableStack();
  const inbox = await openInbox(config.stateFolder);
  closing.defer(async () => await inbox.close());
  const { taskQueue } = config.temporal;
  const doorbell = createDoorbell({ connect, taskQueue, log });
  closing.defer(async () => await doorbell.close());
  const ring = doorbell.ring.bind(doorbell);
  const temporal = doorbell.state.bind(doorbell);
  const parts = { posted, inbox, host, port, ring, temporal, log };
  const receiver = await startReceiver(parts);
  closing.defer(async () => await receiver.close());
  const waiting = new Map(
    (await inbox.standings()).map((standing) => [standing.connection, standing.waiting]),
  );
  for (const text of unreadTexts(posted)) log.warn(text);
  for (const { connection, readers } of posted) {
    if (readers.length > 0 && (waiting.get(connection) ?? 0) > 0) doorbell.ring(connection);
  }
  const open = closing.move();
  return { address: receiver.address, close: async () => await open.disposeAsync() };
}

/**
 * How a receiver reaches Temporal: as runs of this project do, but it starts none. One that only happens to listen is rung only while a
 * worker of this project polls there: to another project's, the name of a connection would mean something else.
 */
export async function connectOf(config: Config, context: Context): Promise<() => Promise<Client>> {
  const storeId = await withState(config, async (state) => state.storeId);
  return async () => {
    const reached = await reachTemporal(config, context);
    if (reached === undefined) throw noneRuns("no Temporal runs");
    const { client, isFound, close } = reached;
    let isOurs = !isFound;
    try {
      isOurs ||= (await storesOn(client, config.temporal.taskQueue)).includes(storeId);
      if (isOurs) return client;
    } finally {
      if (!isOurs) await close();
    }
    throw noneRuns(
      "no Temporal of this project runs: the one on the default address has no worker of it",
    );
  };
}

function noneRuns(message: string): TemporalUnreachableError {
  return new TemporalUnreachableError(message, { hint: "`sluice dev` starts one, with a worker" });
}

/** What a receiver says once it listens. */
export function readyText(address: URL, posted: readonly PostedConnection[]): string {
  const rows = posted.map(({ connection, push, config, readers }) => [
    `  ${connection}`,
    `POST ${push.endpoint(config).path}`,
    readers.length === 0 ? "no sync reads it" : `read by ${readers.join(", ")}`,
  ]);
  return `receiver at ${address.origin}\n${table(rows)}`;
}

/** The same as one object, for `--json`. */
export function readyFacts(address: URL, posted: readonly PostedConnection[]): object {
  const connections = posted.map(({ connection, push, config, readers }) => ({
    connection,
    path: push.endpoint(config).path,
    syncs: readers,
  }));
  return { address: address.origin, connections };
}
