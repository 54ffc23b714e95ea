import { postedConnections, type Posted } from "../../connectors/contract/posted.ts";
import type { Inbox, Standing } from "../../src/inbox/inbox.ts";
import { eventIdsKeptMs } from "../../src/limits.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import { drainRunsKeptMs, drainRunsPrunedMax, sweepStepsMax } from "../limits.ts";
import { resumeResends } from "../run/settle-doubts.ts";
import { noteAccepted, shutBecause } from "./look-into-inbox.ts";
import { leastKept, readingsOf } from "./posted.ts";

/** What a sweep did: numbers and names of connections. */
export type Swept = {
  /** Connections with something unread: their drains run now. */
  readonly drained: readonly string[];
  /** Why they could not be drained; null when they could. */
  readonly shut: string | null;
  readonly removed: { readonly events: number; readonly ids: number; readonly runs: number };
};

/** Repeats what removes a transaction's share at a time, until it finds no more or the sweep has done its own. */
async function inSteps(remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let step = 0; step < sweepStepsMax; step++) {
    const rows = await remove();
    removed += rows;
    if (rows === 0) break;
  }
  return removed;
}

type At = { readonly posted: Posted; readonly standing: Standing; readonly inbox: Inbox };

/** Removes the events that every sync has accepted and that have lain their time. Answers how many, and whether any is unread. */
async function sweepEvents(
  deps: Dependencies,
  { posted, standing, inbox }: At,
): Promise<{ readonly events: number; readonly isUnread: boolean }> {
  const { connection, endpoint } = posted;
  const readings = await readingsOf(deps, inbox, posted);
  const accepted = await noteAccepted(inbox, { connection, last: standing.last, readings });
  const upTo = Math.min(accepted, await leastKept(deps, inbox, connection));
  const receivedBefore = deps.now() - endpoint.retentionMs;
  const what = { connection, upTo, receivedBefore };
  const events = upTo === 0 ? 0 : await inSteps(async () => await inbox.prune(what));
  return { events, isUnread: readings.some(({ unreadSince }) => unreadSince !== undefined) };
}

async function sweepRuns(deps: Dependencies, { syncs }: Posted): Promise<number> {
  const before = new Date(deps.now() - drainRunsKeptMs).toISOString();
  let removed = 0;
  for (const { name: quietOf } of syncs) {
    removed += await deps.state.pruneRuns({ before, quietOf, limit: drainRunsPrunedMax });
  }
  return removed;
}

/**
 * Starts the drains of connections with something unread, whose doorbell may not have been heard, and what sends records in doubt once
 * more, whose start may have been lost; and removes what may go: events that
 * every sync has accepted, event ids and drains' runs that are old. Twice is once: a drain that runs is left alone.
 */
export function createSweepInboxes(deps: Dependencies): () => Promise<Swept> {
  return async () =>
    await attempt(async ({ signal }) => {
      const { inboxes } = deps;
      await resumeResends(deps);
      const drained: string[] = [];
      const removed = { events: 0, ids: 0, runs: 0 };
      if (inboxes === undefined) return { drained, shut: null, removed };
      const { inbox } = inboxes;
      const shut = await shutBecause(deps);
      const standings = new Map((await inbox.standings()).map((each) => [each.connection, each]));
      for (const posted of postedConnections(deps)) {
        signal.throwIfAborted();
        const { connection } = posted;
        const standing = standings.get(connection);
        if (standing === undefined) continue;
        const { events, isUnread } = await sweepEvents(deps, { posted, standing, inbox });
        removed.events += events;
        removed.runs += await sweepRuns(deps, posted);
        if (!isUnread || shut !== null) continue;
        await inboxes.startDrain(connection);
        drained.push(connection);
      }
      const receivedBefore = deps.now() - eventIdsKeptMs;
      removed.ids = await inSteps(async () => await inbox.forgetIds({ receivedBefore }));
      return { drained, shut, removed };
    });
}
