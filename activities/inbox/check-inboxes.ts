import { pushConnections, type Pushed } from "../../connectors/contract/push-connections.ts";
import type { Inbox, Backlog } from "../../src/inbox/inbox.ts";
import { eventIdsKeptMs } from "../../src/limits.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import {
  drainRunsKeptMs,
  drainRunsPrunedMax,
  cleanUpStepsMax,
  formerRetentionMs,
} from "../limits.ts";
import { resumeResends } from "../run/settle-doubts.ts";
import { noteAccepted, blockedReason } from "./look-into-inbox.ts";
import { leastKept, readingsOf } from "./push-connections.ts";

/** The result of a check: numbers, and names of connections. */
export type InboxesChecked = {
  /** Connections with unread events: their drains run now. */
  readonly drained: readonly string[];
  /** Why they could not be drained; null when they could. */
  readonly blocked: string | null;
  readonly removed: { readonly events: number; readonly ids: number; readonly runs: number };
};

/** Repeats `remove`, which does one transaction's share, until nothing is left or the check has done its own share. */
async function inSteps(remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let step = 0; step < cleanUpStepsMax; step++) {
    const rows = await remove();
    removed += rows;
    if (rows === 0) break;
  }
  return removed;
}

type At = { readonly pushed: Pushed; readonly backlog: Backlog; readonly inbox: Inbox };

/**
 * Removes the events that every sync had accepted when that was noted, once their retention is over since; then notes
 * the next ones. Returns how many it removed.
 */
async function removeEvents(
  inbox: Inbox,
  { connection, retentionMs }: { readonly connection: string; readonly retentionMs: number },
  { accepted, removable }: { readonly accepted: number; readonly removable: number },
): Promise<number> {
  const now = await inbox.now();
  const { upTo, since } = await inbox.leaving({ connection });
  if (accepted < upTo || since > now) {
    // A sync reads them again, or a clock was set back, which would keep them until it is where it was.
    await inbox.setLeaving({ connection, upTo: Math.min(accepted, upTo), since: now });
    return 0;
  }
  if (since >= now - retentionMs) return 0;
  const what = { connection, upTo: Math.min(upTo, removable) };
  const events = what.upTo === 0 ? 0 : await inSteps(async () => await inbox.prune(what));
  // A check removes only so many: the next one continues with these.
  if (events === 0 && accepted > upTo)
    await inbox.setLeaving({ connection, upTo: accepted, since: now });
  return events;
}

/** Removes events whose time is over. Returns how many it removed, and whether any event is unread. */
async function cleanUpEvents(
  deps: Dependencies,
  { pushed, backlog, inbox }: At,
): Promise<{ readonly events: number; readonly isUnread: boolean }> {
  const { connection, endpoint } = pushed;
  const readings = await readingsOf(deps, inbox, pushed);
  const accepted = await noteAccepted(inbox, { connection, last: backlog.last, readings });
  const removable = Math.min(accepted, await leastKept(deps, inbox, connection));
  const whose = { connection, retentionMs: endpoint.retentionMs };
  const events = await removeEvents(inbox, whose, { accepted, removable });
  return { events, isUnread: readings.some(({ unreadMs }) => unreadMs !== undefined) };
}

/** Removes what was accepted of a connection that is not configured now. Returns how many events. */
async function cleanUpFormer(
  deps: Dependencies,
  inbox: Inbox,
  { connection, accepted }: Backlog,
): Promise<number> {
  const kept = await leastKept(deps, inbox, connection);
  const whose = { connection, retentionMs: formerRetentionMs };
  return await removeEvents(inbox, whose, { accepted, removable: Math.min(accepted, kept) });
}

async function cleanUpRuns(deps: Dependencies, { syncs }: Pushed): Promise<number> {
  const before = new Date(deps.now() - drainRunsKeptMs).toISOString();
  let removed = 0;
  for (const { name: quietOf } of syncs) {
    removed += await deps.state.pruneRuns({ before, quietOf, limit: drainRunsPrunedMax });
  }
  return removed;
}

/**
 * Starts the drains of connections with unread events, whose notifier may not have been heard, and the resends of
 * records in doubt, whose start may have been lost. Removes what is no longer needed: events that every sync has
 * accepted, old event ids and old runs of drains. Twice is once: a running drain is left alone.
 */
export function createCheckInboxes(deps: Dependencies): () => Promise<InboxesChecked> {
  return async () =>
    await attempt(async ({ signal }) => {
      const { inboxes } = deps;
      await resumeResends(deps);
      const drained: string[] = [];
      const removed = { events: 0, ids: 0, runs: 0 };
      if (inboxes === undefined) return { drained, blocked: null, removed };
      const { inbox } = inboxes;
      const blocked = await blockedReason(deps);
      const backlogs = new Map((await inbox.backlogs()).map((each) => [each.connection, each]));
      for (const pushed of pushConnections(deps)) {
        signal.throwIfAborted();
        const { connection } = pushed;
        const backlog = backlogs.get(connection);
        backlogs.delete(connection);
        if (backlog === undefined) continue;
        const { events, isUnread } = await cleanUpEvents(deps, { pushed, backlog, inbox });
        removed.events += events;
        removed.runs += await cleanUpRuns(deps, pushed);
        if (!isUnread || blocked !== null) continue;
        await inboxes.startDrain(connection);
        drained.push(connection);
      }
      for (const former of backlogs.values()) {
        signal.throwIfAborted();
        removed.events += await cleanUpFormer(deps, inbox, former);
      }
      const receivedBefore = (await inbox.now()) - eventIdsKeptMs;
      removed.ids = await inSteps(async () => await inbox.forgetIds({ receivedBefore }));
      return { drained, blocked, removed };
    });
}
