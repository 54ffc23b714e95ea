// Three lanes of a backfill, each in a process of its own, stage, refuse, cut, abandon, prepare and commit chunks whose
// keys overlap, and attempts believed dead make the same calls late. A seed decides all calls and their times. The
// database decides the order of two calls that wait for each other, so a red seed may be green the next time.
// `SLUICE_SEED=7` tries that seed alone, with `SLUICE_TRIALS=30` thirty seeds from it on.
import { describe, expect, it, onTestFinished } from "vitest";

import { numbers } from "../../../support/sequences.ts";
import { seedsFrom } from "../../../support/trials.ts";
import { type KeyImplementation, keyImplementations } from "../keys/key-implementations.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { wrongWith } from "./lanes/judge.ts";
import { type Pace, planOfLanes } from "./lanes/plan.ts";
import { playRun } from "./lanes/play.ts";

/** How to try a kind of store: how many seeds, and how fast. */
const paces: Readonly<Record<string, Pace & { readonly seeds: number }>> = {
  sqlite: { seeds: 60, waitMs: 8, keysPerStep: 10_000, largeShare: 0.05 },
  postgres: { seeds: 24, waitMs: 40, keysPerStep: 2_000, largeShare: 0.2 },
};

const noPace = { seeds: 0, waitMs: 0, keysPerStep: 0, largeShare: 0 };

/** Makes each statement that writes keys take longer, between its reads and its writes, and afterwards. */
async function slowDown(
  { kind, rows }: KeyImplementation,
  folder: string,
  slowMs: number,
): Promise<void> {
  if (kind !== "postgres" || slowMs === 0) return;
  const slow = ["fingerprints", "staged_fields", "rejects"].flatMap((table) =>
    ["before", "after"].map(
      (when) =>
        `create trigger slow_${when} ${when} insert on ${table}
           for each statement execute function slow();`,
    ),
  );
  await rows(
    folder,
    `create function slow() returns trigger language plpgsql as $$
       begin perform pg_sleep(${slowMs / 1_000}); return null; end $$;
     ${slow.join("\n")}`,
  );
  onTestFinished(async () => void (await rows(folder, "drop function slow cascade")));
}

describe.each(keyImplementations)("three lanes and late attempts: $kind", (one) => {
  const pace = paces[one.kind] ?? noPace;
  it.each(seedsFrom(pace.seeds))(
    "nothing is known but what the service certainly has: seed %i",
    async (seed) => {
      const plan = planOfLanes(seed, pace);
      const main = await StoreUnderTest.open(one.open);
      const hosts: [StoreUnderTest, ...StoreUnderTest[]] = [main];
      for (const _ of numbers(plan.lanes.length)) {
        const store = await one.open(main.folder);
        onTestFinished(async () => await store.close());
        hosts.push(StoreUnderTest.of(main.folder, store));
      }
      await slowDown(one, main.folder, plan.slowMs);
      const played = await playRun(one, hosts, plan);
      expect(await wrongWith(one, main, played)).toEqual([]);
    },
  );
});
