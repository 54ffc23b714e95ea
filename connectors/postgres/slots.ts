import { createHash } from "node:crypto";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

import { RetryLater } from "../../src/errors.ts";
import { connectionsMax, slotLeaseMs, slotWaitMs } from "./limits.ts";

/** How many databases have their connections counted separately; databases with the same number share them. */
const databases = 256;

/** How often in each lease a holder renews it. */
const beatsPerLease = 4;

const lookEveryMs = 500;

const memoryKey = "sluice: connections to Postgres";

/** Until when, in ms since 1970, each connection is held; each thread of this process sees and changes it. */
const heldUntil = sharedTimes();

/** The right to one connection, which ends by itself when its thread is gone. */
export type Slot = {
  /** Gives it back; once only. */
  release(): void;
};

/**
 * Waits until this process, all its threads together, has fewer than `connectionsMax` connections to a database.
 * @throws {RetryLater} none is given back in time. @throws the signal's reason
 */
export async function takeSlot(
  database: string,
  signal: AbortSignal,
  { leaseMs, waitMs }: { readonly leaseMs: number; readonly waitMs: number } = {
    leaseMs: slotLeaseMs,
    waitMs: slotWaitMs,
  },
): Promise<Slot> {
  const first = numberOf(database) * connectionsMax;
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const seen = Atomics.load(heldUntil, first);
    for (let at = first; at < first + connectionsMax; at += 1) {
      const until = Atomics.load(heldUntil, at);
      const mine = leaseEnd(leaseMs);
      if (until > BigInt(Date.now())) continue;
      if (Atomics.compareExchange(heldUntil, at, until, mine) === until) {
        return held(at, first, leaseMs);
      }
    }
    if (performance.now() >= giveUpAt) {
      throw new RetryLater(`this worker has ${connectionsMax} connections to ${database} in use`, {
        hint: "Run syncs of one database one after the other, or start another worker.",
      });
    }
    // Woken when one is given back; a look now and then finds the holder that died, and the one that was
    // given back just before.
    await Atomics.waitAsync(heldUntil, first, seen, Math.min(lookEveryMs, leaseMs)).value;
  }
}

/** `first` is the place that waiters watch. */
function held(at: number, first: number, leaseMs: number): Slot {
  const beat = setInterval(
    () => Atomics.store(heldUntil, at, leaseEnd(leaseMs)),
    leaseMs / beatsPerLease,
  );
  beat.unref();
  return {
    release: () => {
      clearInterval(beat);
      Atomics.store(heldUntil, at, 0n);
      Atomics.notify(heldUntil, first);
    },
  };
}

function leaseEnd(leaseMs: number): bigint {
  return BigInt(Date.now() + leaseMs);
}

function numberOf(database: string): number {
  return createHash("sha256").update(database).digest().readUInt8();
}

/** Made by the first thread, which is the one that starts the others. */
function sharedTimes(): BigInt64Array {
  const known = getEnvironmentData(memoryKey);
  if (known instanceof SharedArrayBuffer) return new BigInt64Array(known);
  const memory = new SharedArrayBuffer(
    databases * connectionsMax * BigInt64Array.BYTES_PER_ELEMENT,
  );
  setEnvironmentData(memoryKey, memory);
  return new BigInt64Array(memory);
}
