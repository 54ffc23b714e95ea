// npm run nightly: examples/postgres-nightly as its user would see it over two nights, in one go. Makes a
// throw-away Postgres, or a database on the server of PG_URL, starts everything with `sluice dev`, applies
// the schedules, triggers the sync's, pulls scores and job postings back, and does it all again: the second
// round sends nothing and writes nothing.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { Client } from "pg";

import { PostgresCluster } from "../test/support/postgres/postgres-cluster.ts";
import { main, say, Stop } from "./child.mjs";
import { Example, safeEnvironment, stopped } from "./dev.mjs";
import { root } from "./set-up.mjs";

const folder = join(root, "examples", "postgres-nightly");
const lookEveryMs = 500;

await main(async () => {
  const cluster = process.env.PG_URL === undefined ? await PostgresCluster.start() : undefined;
  const server = cluster?.url ?? process.env.PG_URL;
  const name = `sluice_nightly_${randomBytes(4).toString("hex")}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  try {
    say(`making the database ${name}`);
    await query(server, `create database ${name} template template0 encoding 'UTF8'`);
    await query(url, readFileSync(join(folder, "schema.sql"), "utf8"));
    await query(url, readFileSync(join(folder, "seed.sql"), "utf8"));
    await twoNights(url);
  } finally {
    await query(server, `drop database if exists ${name} with (force)`).catch(() => undefined);
    await cluster?.remove();
  }
  if (stopped.aborted) throw new Stop(`stopped by ${stopped.reason}`, 130);
  return 0;
});

async function twoNights(url) {
  const example = new Example("postgres-nightly", { ...safeEnvironment, CRM_DATABASE_URL: url });
  try {
    const addresses = await example.start();
    const sluice = async (...args) => {
      if (stopped.aborted) throw new Stop(`stopped by ${stopped.reason}`, 130);
      const { code } = await example.sluice(addresses, args);
      if (code !== 0) throw new Stop(`sluice ${args.join(" ")} ended with ${code}`);
    };
    const asked = async (...args) => {
      const { output } = await example.sluice(addresses, [...args, "--json"], { capture: true });
      return output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    await sluice("schedule", "apply", "--yes");
    for (const night of [1, 2]) {
      say(`night ${night}`);
      await sluice("schedule", "trigger", "accounts");
      const run = await ended(
        async () => (await asked("runs", "list", "--sync", "accounts"))[0],
        night,
      );
      await sluice("runs", "show", run.run_id);
      const { counts } = run;
      if (night === 2 && counts.sent !== 0) throw new Stop(`night 2 sent ${counts.sent} records`);
      const before = await digest(url);
      await sluice("pull", "account_scores");
      await sluice("pull", "hiring");
      const after = await digest(url);
      if (night === 2 && after !== before) throw new Stop("night 2 changed what was written back");
    }
    await sluice("status");
  } finally {
    await example.stop();
  }
}

/** Waits until as many runs of the sync have ended as nights have passed; returns the newest. */
async function ended(newest, nights) {
  for (;;) {
    const run = await newest();
    if (run?.ended_at && run.checkpoint?.after >= nights) return run;
    await delay(lookEveryMs);
  }
}

/** A digest of the rows that the pulls have written, and of the transactions that wrote them. */
async function digest(url) {
  const [row] = await query(
    url,
    `select md5(string_agg(row, '' order by row)) as md5 from (
       select s::text || s.xmin::text as row from crm.account_scores s
       union all select p::text || p.xmin::text from crm.job_postings p
     ) as rows`,
  );
  return row.md5;
}

async function query(url, sql) {
  const client = new Client(url);
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1).rows;
  } finally {
    await client.end();
  }
}
