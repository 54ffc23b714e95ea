import { AsyncLocalStorage } from "node:async_hooks";

/** What requests cost while their work ran. */
export type PaceTally = { requests: number; waitedMs: number };

/** Who makes requests, and what they cost. */
export type Requester = {
  /** Names the work over all its attempts; its place in the queue goes by it. Undefined holds no place. */
  readonly ticket?: string | undefined;
  /** Of the run: `sync`, `inbox`, `replay`, `pull`, `backfill`. @default "sync" */
  readonly kind?: string | undefined;
  /** Every request and every wait that is told is added to it. */
  readonly tally: PaceTally;
};

const requesters = new AsyncLocalStorage<Requester>();

/** Runs `work`, whose requests are then made in the name of `requester`. */
export async function requestingAs<Result>(
  requester: Requester,
  work: () => Promise<Result>,
): Promise<Result> {
  return await requesters.run(requester, work);
}

/** The class of each kind of run: 0 goes first. What came in by itself waits least, a backfill most. */
const priorities: Readonly<Record<string, number>> = { inbox: 0, sync: 1, pull: 1, backfill: 2 };

/** The place of whoever makes requests here: its ticket and its class, 0 first. */
export function placeOfRequester(): {
  readonly ticket: string | undefined;
  readonly priority: number;
} {
  const { ticket, kind = "sync" } = requesters.getStore() ?? {};
  return { ticket, priority: priorities[kind] ?? 1 };
}

/** Adds a wait that was told to whoever makes requests here. */
export function countWait(ms: number): void {
  const requester = requesters.getStore();
  if (requester !== undefined) requester.tally.waitedMs += ms;
}

/** Adds a request to whoever makes requests here. */
export function countRequest(): void {
  const requester = requesters.getStore();
  if (requester !== undefined) requester.tally.requests += 1;
}
