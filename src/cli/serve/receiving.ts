import type { Client } from "@temporalio/client";
import type { Logger } from "pino";

import type { Config } from "../../config/config.ts";
import { TemporalUnreachableError } from "../../errors.ts";
import { refuseOtherTemporal } from "../../hosts/store-guards.ts";
import { openInbox } from "../../inbox/open.ts";
import { storesOn, temporalIdOf } from "../../local/presence.ts";
import { followClock } from "../../state/postgres/followed-clock.ts";
import { createDrainNotifier } from "../../webhooks/drain-notifier.ts";
import { startReceiver } from "../../webhooks/server.ts";
import { withState, type Context } from "../output/context.ts";
import { table } from "../output/table.ts";
import { reachTemporal } from "../running/reach-temporal.ts";
import { unreadTexts, type PushConnection } from "./push-connections.ts";

/** The settings of a receiver. */
export type ReceivingSettings = {
  readonly config: Config;
  readonly pushed: readonly PushConnection[];
  /** 0 takes a free one. */
  readonly port: number;
  /** Reaches Temporal, anew after each loss; may throw. */
  readonly connect: () => Promise<Client>;
  readonly log: Logger;
};

/** A receiver that takes deliveries. */
export type Receiving = {
  readonly address: URL;
  /** Takes no more deliveries, answers those that have come, and resolves. */
  close(): Promise<void>;
};

/**
 * Starts a receiver, and sends wake-ups for events that have waited since there was none. It runs without Temporal.
 * @throws {ConfigError} it cannot listen there. @throws {StateUnavailableError} the inbox cannot be opened.
 */
export async function startReceiving(
  { config, pushed, port, connect, log }: ReceivingSettings,
  { environment: { host } }: Pick<Context, "environment">,
): Promise<Receiving> {
  await using closing = new AsyncDisposableStack();
  const inbox = await openInbox(config);
  closing.defer(async () => await inbox.close());
  const { taskQueue } = config.temporal;
  const notifier = createDrainNotifier({ connect, taskQueue, log });
  closing.defer(async () => await notifier.close());
  const wake = notifier.wake.bind(notifier);
  const temporal = notifier.state.bind(notifier);
  const clock = config.store === undefined ? undefined : await followClock(inbox.now);
  closing.defer(() => clock?.stop());
  const now = clock?.now ?? Date.now;
  const parts = { pushed, inbox, host, port, wake, temporal, log, now };
  const receiver = await startReceiver(parts);
  closing.defer(async () => await receiver.close());
  const waiting = new Map(
    (await inbox.backlogs()).map((backlog) => [backlog.connection, backlog.waiting]),
  );
  for (const text of unreadTexts(pushed)) log.warn(text);
  for (const { connection, readers } of pushed) {
    if (readers.length > 0 && (waiting.get(connection) ?? 0) > 0) notifier.wake(connection);
  }
  const open = closing.move();
  return { address: receiver.address, close: async () => await open.disposeAsync() };
}

/**
 * How a receiver reaches Temporal: as runs of this project do, but it starts none. One that only happens to listen gets
 * wake-ups only while a worker of this project polls there: to another project, the name of a connection would mean
 * something else.
 */
export async function connectOf(config: Config, context: Context): Promise<() => Promise<Client>> {
  const storeId = await withState(config, async (state) => state.storeId);
  return async () => {
    const reached = await reachTemporal(config, context);
    if (reached === undefined) throw noneRuns("no Temporal runs");
    const { client, address, isFound, close } = reached;
    let isOurs = false;
    try {
      if (config.store !== undefined) {
        const temporalId = await temporalIdOf(client);
        await withState(config, async (state) => {
          await refuseOtherTemporal(config, { state, temporalId, address });
        });
      }
      isOurs = !isFound;
      isOurs ||= (await storesOn(client, config.temporal)).includes(storeId);
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

/** The text that a receiver prints once it listens. */
export function readyText(address: URL, pushed: readonly PushConnection[]): string {
  const rows = pushed.map(({ connection, push, config, readers }) => [
    `  ${connection}`,
    `POST ${push.endpoint(config).path}`,
    readers.length === 0 ? "no sync reads it" : `read by ${readers.join(", ")}`,
  ]);
  return `receiver at ${address.origin}\n${table(rows, { width: Infinity })}`;
}

/** The same as one object, for `--json`. */
export function readyFacts(address: URL, pushed: readonly PushConnection[]): object {
  const connections = pushed.map(({ connection, push, config, readers }) => ({
    connection,
    path: push.endpoint(config).path,
    syncs: readers,
  }));
  return { address: address.origin, connections };
}
