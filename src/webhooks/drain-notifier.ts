import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "@temporalio/client";

import { messageOf } from "../errors.ts";
import { wakeDrain } from "./drain.ts";
import { wakeFirstMs, wakeStepMsMax } from "./limits.ts";

/** Notifies drains of new events. */
export type DrainNotifier = {
  /**
   * Wakes the drain of a connection and returns at once. One call per connection is under way: a wake-up meanwhile
   * makes another one follow. A call that fails is made again, after 1 s, doubling to 30 s.
   */
  wake(connection: string): void;
  /** The state of Temporal after the last call; `unknown` before the first. */
  state(): "away" | "reachable" | "unknown";
  /**
   * Lets calls under way end, makes no more, and closes the connection. A check finds the events whose wake-up did not
   * arrive.
   */
  close(): Promise<void>;
};

/** The settings of a notifier. */
export type DrainNotifierSettings = {
  /** Connects to Temporal: for the first call, and again after one that failed. */
  readonly connect: () => Promise<Client>;
  readonly taskQueue: string;
  /** Receives a line when Temporal goes away, and one when it is back. */
  readonly log: {
    info(facts: object, text: string): void;
    warn(facts: object, text: string): void;
  };
  /** Time to the second call. @default wakeFirstMs */
  readonly firstMs?: number;
};

/** Makes a notifier, which does not connect before the first wake-up. */
export function createDrainNotifier(settings: DrainNotifierSettings): DrainNotifier {
  const { taskQueue, log, firstMs = wakeFirstMs } = settings;
  const line = createLine(settings.connect);
  const closing = new AbortController();
  /** Connections with a call under way; true where another wake-up came since the call was made. */
  const calls = new Map<string, boolean>();
  const calling = new Set<Promise<void>>();
  let state: ReturnType<DrainNotifier["state"]> = "unknown";

  const isHeard = async (connection: string): Promise<boolean> => {
    calls.set(connection, false);
    try {
      await line.use(async (client) => await wakeDrain(client, { connection, taskQueue }));
      if (state === "away") log.info({}, "Temporal is back: drains are woken for again");
      state = "reachable";
      return true;
    } catch (error) {
      const text = "Temporal is away: events are kept, and sent when it is back";
      if (state !== "away") log.warn({ connection, why: whyOf(error) }, text);
      state = "away";
      return false;
    }
  };
  const call = async (connection: string): Promise<void> => {
    let waitMs = firstMs;
    do {
      if (await isHeard(connection)) {
        waitMs = firstMs;
        if (calls.get(connection) !== true) break;
      } else {
        await delay(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
        waitMs = Math.min(wakeStepMsMax, waitMs * 2);
      }
    } while (!closing.signal.aborted);
    calls.delete(connection);
  };
  return {
    wake: (connection) => {
      if (closing.signal.aborted) return;
      if (calls.has(connection)) {
        calls.set(connection, true);
        return;
      }
      const made = call(connection);
      calling.add(made);
      void made.finally(() => calling.delete(made));
    },
    state: () => state,
    close: async () => {
      closing.abort();
      await Promise.all(calling);
      await line.close();
    },
  };
}

/** The client's own message names only the call; the fault is in the cause. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}

/** A connection that is made when it is first needed, and again after a call on it failed. */
function createLine(connect: () => Promise<Client>): {
  use(work: (client: Client) => Promise<void>): Promise<void>;
  close(): Promise<void>;
} {
  let current: Promise<Client> | undefined;
  const close = async (): Promise<void> => {
    const last = current;
    current = undefined;
    // A connection that was never made, or is broken, need not be closed.
    await last?.then(async ({ connection }) => await connection.close()).catch(() => undefined);
  };
  return {
    use: async (work) => {
      current ??= connect();
      const mine = current;
      try {
        await work(await mine);
      } catch (error) {
        // A call that shared it may have replaced it already.
        if (current === mine) await close();
        throw error;
      }
    },
    close,
  };
}
