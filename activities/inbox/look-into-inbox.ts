import { setTimeout as delay } from "node:timers/promises";

import type { Pushed } from "../../connectors/contract/push-connections.ts";
import { ApiAuthError, CreditsExhaustedError } from "../../src/errors.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { assertMaySend } from "../../src/service/key-limits.ts";
import { sleepInActivityMsMax } from "../../src/service/limits.ts";
import { currentKey } from "../../src/service/rotating-key.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import {
  inboxOf,
  pushConnectionNamed,
  readingsOf,
  type ConnectionReading,
} from "./push-connections.ts";

/** Input of `lookIntoInbox`. */
export type LookInput = {
  readonly connection: string;
  /** Whether events that come one by one get time to become one batch. */
  readonly linger: boolean;
  /** Syncs to leave alone for now. */
  readonly backingOff: readonly string[];
};

/** Result of `lookIntoInbox`. */
export type Look = {
  /** Why nothing can be sent until a person acts; null when it can. */
  readonly blocked: string | null;
  /** Syncs with unread events, except those that back off. */
  readonly syncs: readonly string[];
  /** Whether the wake-up was taken: events that come from now on send another. */
  readonly isAnswered: boolean;
  /**
   * How long to wait before looking again, where that is longer than a worker's slot may be held; nothing was looked
   * at.
   */
  readonly waitMs?: number | undefined;
  /** Continue as new after this many runs; undefined leaves it to Temporal. */
  readonly runsPerExecution?: number | undefined;
};

/** Why nothing can be sent: the key was refused, or there are no credits. A rate limit only means waiting. */
export async function blockedReason({
  state,
  config,
  clock,
}: Pick<Dependencies, "clock" | "config" | "state">): Promise<string | null> {
  try {
    await assertMaySend(state, await currentKey(config.api), clock());
    return null;
  } catch (error) {
    if (error instanceof ApiAuthError || error instanceof CreditsExhaustedError) {
      return error.message;
    }
    throw error;
  }
}

/** Notes how far every sync has accepted, so that those events may be removed; notes nothing if no sync reads them. */
export async function noteAccepted(
  inbox: Inbox,
  at: {
    readonly connection: string;
    /** The last number given out before `readings` were taken. */
    readonly last: number;
    readonly readings: readonly ConnectionReading[];
  },
): Promise<number> {
  const { connection, last, readings } = at;
  if (readings.length === 0) return 0;
  const seqs = readings.map(({ seq, unreadMs }) => (unreadMs === undefined ? last : seq));
  const upTo = Math.min(...seqs);
  await inbox.setAccepted({ connection, upTo });
  return upTo;
}

/** How long the first unread event of each sync has waited. */
function waitsOf(readings: readonly ConnectionReading[]): readonly number[] {
  return readings.flatMap(({ unreadMs }) => unreadMs ?? []);
}

/** How long until the oldest unread event has lingered; without one, how long to wait for one. 0 or less: no longer. */
async function lingerMsOf(deps: Dependencies, inbox: Inbox, pushed: Pushed): Promise<number> {
  const readings = await readingsOf(deps, inbox, pushed);
  return pushed.endpoint.lingerMs - Math.max(0, ...waitsOf(readings));
}

/**
 * How long unread events wait for a file of their stream: after its confirmation the service may still be processing
 * it, and may apply a small body first. No event waits longer than the setting, so that one file after the other does
 * not hold it up for ever. 0 or less: no longer.
 */
async function fileWaitMsOf(deps: Dependencies, inbox: Inbox, pushed: Pushed): Promise<number> {
  const { config, state, target } = deps;
  const { fileWaitMs } = config.api;
  if (fileWaitMs === undefined) return 0;
  const readings = await readingsOf(deps, inbox, pushed);
  const waits = waitsOf(readings);
  if (waits.length === 0) return 0;
  const streams = new Set(pushed.syncs.map(({ stream }) => stream));
  const syncs = [...config.syncs.values()].filter(({ stream }) => streams.has(stream));
  const names = syncs.map(({ name }) => name);
  const from = new Date(deps.now() - fileWaitMs).toISOString();
  const lastMs = await state.lastFileAt({ target, syncs: names, since: from });
  if (lastMs === null) return 0;
  // An event that was stamped before the clock was set back counts as waiting as long as it is ahead.
  return fileWaitMs - Math.max(deps.now() - lastMs, ...waits.map(Math.abs));
}

/**
 * Finds the syncs with unread events. It takes the wake-up first, so that no event goes unnoticed; but not while
 * nothing can be sent or nobody would read it: then no notifier should start a drain, and a check starts one once that
 * helps.
 */
export function createLookIntoInbox(deps: Dependencies): (input: LookInput) => Promise<Look> {
  return async ({ connection, linger, backingOff }) =>
    await attempt(async ({ signal }) => {
      const all = pushConnectionNamed(deps, connection);
      const inbox = inboxOf(deps);
      const blocked = await blockedReason(deps);
      const syncs = all.syncs.filter(({ name }) => !backingOff.includes(name));
      const isIdle = syncs.length === 0;
      const { chunksPerRun: runsPerExecution } = deps.config.advanced;
      if (blocked !== null || isIdle) {
        return { blocked, syncs: [], isAnswered: false, runsPerExecution };
      }
      const own = { ...all, syncs };
      const lingerMs = linger ? await lingerMsOf(deps, inbox, own) : 0;
      const waitMs = Math.max(lingerMs, await fileWaitMsOf(deps, inbox, own));
      if (waitMs > sleepInActivityMsMax)
        return { blocked: null, syncs: [], isAnswered: false, runsPerExecution, waitMs };
      if (waitMs > 0) await delay(waitMs, undefined, { signal });
      const last = await inbox.takeWakeUp({ connection });
      const readings = await readingsOf(deps, inbox, all);
      await noteAccepted(inbox, { connection, last, readings });
      const unread = readings.filter(({ unreadMs }) => unreadMs !== undefined);
      const names = unread.map(({ sync }) => sync).filter((name) => !backingOff.includes(name));
      return { blocked: null, syncs: names, isAnswered: true, runsPerExecution };
    });
}
