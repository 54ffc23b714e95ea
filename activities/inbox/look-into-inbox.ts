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
  /** Whether events that come one by one are given the time to become one batch. */
  readonly linger: boolean;
  /** Syncs that are left alone for now. */
  readonly backingOff: readonly string[];
};

/** What is in an inbox. */
export type Look = {
  /** Why nothing can be sent before a person does something; null when it can. */
  readonly blocked: string | null;
  /** Those with something unread, but for those that back off. */
  readonly syncs: readonly string[];
  /** Whether the wake-up was taken: what comes from here on is woken for. */
  readonly isAnswered: boolean;
  /**
   * How long to wait before looking again, where lingering takes longer than a worker's slot may be held;
   * nothing was looked at.
   */
  readonly waitMs?: number | undefined;
  /** Continue as new after this many runs; undefined leaves it to Temporal. */
  readonly runsPerExecution?: number | undefined;
};

/** Why nothing can be sent: the key was refused, or there are no credits. A rate limit is only waited for. */
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

/** Notes up to where every sync has accepted, so that it may be removed; of a connection that none reads nothing is. */
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

/**
 * How long until the oldest unread event has waited its time; where there is none, for one to come. 0 or
 * less: no longer.
 */
async function lingerMsOf(deps: Dependencies, inbox: Inbox, pushed: Pushed): Promise<number> {
  const readings = await readingsOf(deps, inbox, pushed);
  return pushed.endpoint.lingerMs - Math.max(0, ...waitsOf(readings));
}

/**
 * How long what is unread waits for a file of its stream: its confirmation is not the end of it, and a small
 * body after it may be applied first. No event waits longer than the setting, so that one file after the
 * other does not hold it up for ever. 0 or less: no longer.
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
  return lastMs === null ? 0 : fileWaitMs - Math.max(deps.now() - lastMs, ...waits);
}

/**
 * Looks which syncs have something unread. It takes the wake-up first, so that nothing comes unheard; but not
 * while nothing can be sent or nobody would read it: then no notifier is to start a drain, and a check does
 * once it helps.
 */
export function createLookIntoInbox(deps: Dependencies): (input: LookInput) => Promise<Look> {
  return async ({ connection, linger, backingOff }) =>
    await attempt(async ({ signal }) => {
      const all = pushConnectionNamed(deps, connection);
      const inbox = inboxOf(deps);
      const blocked = await blockedReason(deps);
      const syncs = all.syncs.filter(({ name }) => !backingOff.includes(name));
      const isIdle = syncs.length === 0 && backingOff.length > 0;
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
