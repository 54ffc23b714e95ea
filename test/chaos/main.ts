// npm run chaos -- --seed 42 --rows 5000 [--seeds N] [--only kills|http|clock|disk|rerun|source]: N seeds from this one
// on. Exit code 1 if a bound is broken, or if a hundred seeds or more leave out what they should show. npm run chaos --
// --only webhooks --seed 42 [--seeds N] [--kills 20] [--away 60]: the same for the receiver of webhooks, with this many
// kills, and Temporal away for this many seconds. npm run chaos -- --only hosts --seed 42 [--seeds N] [--kills 20]: the
// same for three workers and two receivers with one store in Postgres.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { z } from "zod";

import { runSeeds } from "./chaos.ts";
import { runHostsSeeds } from "./hosts/hosts.ts";
import { families } from "./plan.ts";
import { missingFrom, summarise, summaryLine } from "./summary.ts";
import { runWebhookSeeds } from "./webhooks/webhooks.ts";
import { clockMeans } from "./world/clock.ts";

/** From this many seeds on, every kind of fault must have happened. */
const seedsThatShowAll = 100;

const text = { type: "string" } as const;
const options = { seed: text, seeds: text, rows: text, only: text, kills: text, away: text };
const count = z.coerce.number().int().min(1);
const schema = z.strictObject({
  seed: count.default(1),
  seeds: count.default(1),
  rows: count.default(5_000),
  only: z.enum([...families, "webhooks", "hosts"]).optional(),
  kills: count.default(20),
  away: z.coerce.number().min(0).default(60),
});

const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => stopped.abort(new Error(`stopped by ${name}`)));
}

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({ options, strict: false });
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    process.stderr.write(`${z.prettifyError(parsed.error)}\n`);
    return 2;
  }
  const { seed, seeds: howMany, rows, only, kills, away } = parsed.data;
  const seeds = Array.from({ length: howMany }, (_, index) => seed + index);
  const out = join(fileURLToPath(new URL("../..", import.meta.url)), "out");
  if (only === "webhooks") {
    const { signal } = stopped;
    return await runWebhookSeeds({ seeds, kills, awayMs: away * 1_000, out, say, signal });
  }
  if (only === "hosts") {
    return await runHostsSeeds({ seeds, kills, out, say, signal: stopped.signal });
  }
  say(`clocks: ${clockMeans}`);
  const summary = summarise(
    await runSeeds({ seeds, rows, only, out, say, signal: stopped.signal }),
  );
  const missing = howMany >= seedsThatShowAll && only === undefined ? missingFrom(summary) : [];
  for (const name of missing) say(`never happened, or too rarely: ${name}`);
  say(summaryLine(summary));
  return summary.red > 0 || missing.length > 0 || summary.seeds < howMany ? 1 : 0;
}

process.exitCode = await main();
