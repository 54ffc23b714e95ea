import { StateUnavailableError } from "../errors.ts";
import { transactionRowsMax } from "../state/limits.ts";
import type { Delivery, Verdict } from "./inbox.ts";
import { inboxGroupCharsMax } from "./limits.ts";

type Waiting = {
  readonly delivery: Delivery;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
};

/** Deliveries that wait for a write they can share. */
export type GroupCommit = {
  /** Resolves once the delivery's group is written. @throws what `write` throws. */
  readonly keep: (delivery: Delivery) => Promise<Verdict>;
  /** Resolves when nothing waits any more. */
  readonly idle: () => Promise<void>;
};

/**
 * Writes deliveries in groups: those that come in one turn of the event loop, or while a group is being
 * written, share the next write, as far as one transaction may hold them.
 */
export function createGroupCommit(
  write: (deliveries: readonly Delivery[]) => Promise<readonly Verdict[]>,
): GroupCommit {
  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    // One turn of the loop hands over everything that has arrived on the sockets by now.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const size = sizeOfGroup(queue);
      const group = queue.slice(0, size);
      queue = queue.slice(size);
      await writeGroup(group, write);
    }
    writing = undefined;
  };
  return {
    keep: async (delivery) =>
      await new Promise((resolve, reject) => {
        queue.push({ delivery, resolve, reject });
        writing ??= writeAll();
      }),
    idle: async () => await writing,
  };
}

/** How many deliveries from the front of the queue fit in one transaction; at least one, whatever its size. */
function sizeOfGroup(queue: readonly Waiting[]): number {
  let [rows, chars] = [0, 0];
  const last = queue.findIndex(({ delivery: { events } }) => {
    rows += events.length;
    for (const { json } of events) chars += json.length;
    return rows > transactionRowsMax || chars > inboxGroupCharsMax;
  });
  return last === -1 ? queue.length : Math.max(last, 1);
}

/** Answers every delivery of a group, and never throws. */
async function writeGroup(
  group: readonly Waiting[],
  write: (deliveries: readonly Delivery[]) => Promise<readonly Verdict[]>,
): Promise<void> {
  try {
    const verdicts = await write(group.map(({ delivery }) => delivery));
    for (const [index, verdict] of verdicts.entries()) group[index]?.resolve(verdict);
  } catch (error) {
    if (group.length === 1 || error instanceof StateUnavailableError) {
      for (const { reject } of group) reject(error);
      return;
    }
    // One of them cannot be written: each is written alone, so that the others do not fail with it.
    for (const one of group) await writeGroup([one], write);
  }
}
