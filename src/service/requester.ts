import { AsyncLocalStorage } from "node:async_hooks";

/** The cost of the requests made by some work. */
export type RequestTally = { requests: number; waitedMs: number };

/** Who makes requests. */
export type Requester = {
  /** Names the work over all its attempts, so that a permit can be reserved for it. */
  readonly token?: string | undefined;
  /** The kind of the run: `sync`, `inbox`, `replay`, `pull`, `backfill`. @default "sync" */
  readonly kind?: string | undefined;
  /** Every request, and every wait that was imposed, is added to it. */
  readonly tally: RequestTally;
};

const requesters = new AsyncLocalStorage<Requester>();

/** Runs `work`; its requests are made in the name of `requester`. */
export async function requestingAs<Result>(
  requester: Requester,
  work: () => Promise<Result>,
): Promise<Result> {
  return await requesters.run(requester, work);
}

/** 0 goes first: pushed events wait least, a backfill most. */
const priorities: Readonly<Record<string, number>> = { inbox: 0, sync: 1, pull: 1, backfill: 2 };

/** The current requester; if none was named, one with a tally that nobody reads. */
export function currentRequester(): {
  readonly token: string | undefined;
  readonly priority: number;
  readonly tally: RequestTally;
} {
  const { token, kind = "sync", tally } = requesters.getStore() ?? {};
  const priority = priorities[kind] ?? 1;
  return { token, priority, tally: tally ?? { requests: 0, waitedMs: 0 } };
}
