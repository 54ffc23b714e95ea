// Workers that ask one store in Postgres for permits, and how long each answer takes:
// node bench/workloads/ask-permits.ts --url postgres://... [--schema sluice] [--workers 10] [--seconds 20] [--rate 100]
// Each worker has a store of its own, in a thread, as a process has; together they ask `rate` times a second, so that
// the answer is measured, and not the length of a queue that everybody fills as fast as they can.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import type * as Secrets from "../../src/security/secret.ts";
import type * as Migrating from "../../src/state/postgres/migrate.ts";
import type * as Postgres from "../../src/state/postgres/open.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { built } from "../built.ts";
import { latenciesOf } from "../latencies.ts";

const { Secret } = await built<typeof Secrets>("src/security/secret.js");
const { migrateStore } = await built<typeof Migrating>("src/state/postgres/migrate.js");
const { openPostgresStore } = await built<typeof Postgres>("src/state/postgres/open.js");

/** Permits for each request made: ten times the rate, so that no worker waits for a distant permit. */
const permitsPerAsked = 10;

/** Requests before the clock starts: connections are made, and statements planned. */
const warmUpMs = 1_000;

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    schema: { type: "string", default: "permits" },
    workers: { type: "string", default: "10" },
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "100" },
  },
});
const [workers, rate] = [Number(values.workers), Number(values.rate)];
const measuredMs = Number(values.seconds) * 1_000;
const pauseMs = (1_000 * workers) / rate;

/** Asks at even intervals until time is up; missed turns are not made up for. */
async function ask(state: StateStore, begunMs: number): Promise<readonly number[]> {
  const asked = {
    limits: ["api:bench", "api:bench:credits", "api:bench:refused"],
    perSecond: rate * permitsPerAsked,
    waitMaxMs: 10_000,
    priority: 1,
  } as const;
  const durations: number[] = [];
  const endMs = begunMs + warmUpMs + measuredMs;
  for (let dueMs = begunMs; dueMs < endMs; dueMs += pauseMs) {
    await setTimeout(Math.max(0, dueMs - performance.now()));
    const startedMs = performance.now();
    const answer = await state.acquirePermit({ ...asked, nowMs: Date.now() });
    if (!("granted" in answer) || !answer.granted) throw new Error("a permit was refused");
    if (startedMs >= begunMs + warmUpMs) durations.push(performance.now() - startedMs);
  }
  return durations;
}

const server = { url: new Secret(values.url), schema: values.schema };
await migrateStore(server);
const states: StateStore[] = [];
for (let worker = 0; worker < workers; worker += 1) states.push(await openPostgresStore(server));
const begunMs = performance.now();
const all = await Promise.all(
  // Not all at the same moment: workers know nothing of each other.
  states.map(
    async (state, worker) => await ask(state, begunMs + (worker * pauseMs) / states.length),
  ),
);
for (const state of states) await state.close();
console.log(JSON.stringify(latenciesOf(all.flat())));
