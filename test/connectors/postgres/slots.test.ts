import { Worker } from "node:worker_threads";

import { describe, expect, it } from "vitest";

import { withSession } from "../../../connectors/postgres/client.ts";
import { connectionsMax } from "../../../connectors/postgres/limits.ts";
import { takeSlot } from "../../../connectors/postgres/slots.ts";
import { RetryLater } from "../../../src/errors.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf } from "./support.ts";

const { signal } = new AbortController();
const slots = new URL("../../../connectors/postgres/slots.ts", import.meta.url).href;

describe("takeSlot", () => {
  it("gives a database as many as it may have, and the next one when one comes back", async () => {
    const quick = { leaseMs: 60_000, waitMs: 10 };
    const taken = await Promise.all(
      Array.from({ length: connectionsMax }, async () => await takeSlot("a", signal)),
    );
    await expect(takeSlot("a", signal, quick)).rejects.toThrow(RetryLater);
    const other = await takeSlot("b", signal, quick);
    const waiting = takeSlot("a", signal);
    taken[0]?.release();
    const next = await waiting;
    for (const slot of [...taken.slice(1), next, other]) slot.release();
  });

  it("stops waiting when it is cancelled", async () => {
    const taken = [await takeSlot("c", signal), await takeSlot("c", signal)];
    const aborting = new AbortController();
    const waiting = takeSlot("c", aborting.signal, { leaseMs: 40, waitMs: 60_000 });
    aborting.abort();
    await expect(waiting).rejects.toThrow(/aborted/);
    for (const slot of taken) slot.release();
  });

  it("counts the slots of other threads, and no longer those of a thread that died", async () => {
    // Long enough that a thread that a busy machine does not schedule is not considered dead.
    const leases = { leaseMs: 3_000, waitMs: 10 };
    const thread = new Worker(
      `const { parentPort } = require("node:worker_threads");
       import(${JSON.stringify(slots)}).then(async ({ takeSlot }) => {
         for (let n = 0; n < ${connectionsMax}; n += 1) {
           await takeSlot("d", new AbortController().signal, ${JSON.stringify(leases)});
         }
         setInterval(() => undefined, 1_000);
         parentPort.postMessage("taken");
       });`,
      { eval: true },
    );
    await new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
    await expect(takeSlot("d", signal, leases)).rejects.toThrow(RetryLater);
    await thread.terminate();
    const slot = await takeSlot("d", signal, { ...leases, waitMs: 60_000 });
    slot.release();
  });

  it("keeps the sessions of a process within the limit", async () => {
    const { query, url } = await postgres();
    const ask = readRequestOf(url);
    const counts: unknown[] = [];
    const look = async (): Promise<void> =>
      await withSession(ask, async (session) => {
        await session.query("select pg_sleep(0.05)");
        counts.push(
          ...(await query(`select count(*)::int from pg_stat_activity
            where application_name = 'sluice' and datname = current_database()`)),
        );
      });
    await Promise.all(Array.from({ length: 3 * connectionsMax }, look));
    expect(counts).toHaveLength(3 * connectionsMax);
    expect(counts).toContainEqual({ count: connectionsMax });
    expect(counts).not.toContainEqual({ count: connectionsMax + 1 });
  });
});
