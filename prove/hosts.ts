import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { run } from "../bench/child.ts";
import { type Latencies, latencies } from "../bench/latencies.ts";
import { say } from "../bench/report.ts";
import { readTracked, trackKeys, type TrackedPart } from "../bench/tracked-keys.ts";
import { PostgresCluster } from "../test/support/postgres/postgres-cluster.ts";

/** The bounds of a store in Postgres. */
const [commitP99MsMax, permitP99MsMax] = [20, 10];
const [unchangedPerSecondMin, firstLoadPerSecondMin] = [60_000, 30_000];

const chaos = fileURLToPath(new URL("../test/chaos/main.ts", import.meta.url));
const askPermits = fileURLToPath(new URL("../bench/workloads/ask-permits.ts", import.meta.url));

const shown = ({ p50, p99, max }: Latencies): string =>
  [p50, p99, max].map((ms) => ms.toFixed(1)).join(" / ");

/** Three workers and two receivers on one store in Postgres, killed by seeds; and the timings of such a store. */
export async function proveHosts(
  folder: string,
  { seeds, keys }: { readonly seeds: number; readonly keys: readonly number[] },
): Promise<readonly Checked[]> {
  const waits: Checked[] = [];
  for (const many of keys) {
    waits.push(...(await withServer(async (url) => await measureKeys(url, folder, many))));
  }
  const permits = await withServer(async (url) => await measurePermits(url, folder));
  return [await proveChaos(folder, seeds), ...waits, permits];
}

/** Measures on a server of its own, which waits for its disk. */
async function withServer<Result>(measure: (url: string) => Promise<Result>): Promise<Result> {
  const server = await PostgresCluster.start({ isDurable: true });
  try {
    return await measure(server.url);
  } finally {
    await server.remove();
  }
}

async function proveChaos(folder: string, seeds: number): Promise<Checked> {
  say(`chaos of several hosts: ${seeds} seeds`);
  const args = [chaos, "--only", "hosts", "--seeds", String(seeds)];
  const { code, lastLine } = await run(args, folder);
  return {
    what: "chaos, three workers and two receivers, one store in Postgres",
    bound: "every 2xx and every row in the service, no process ends by itself",
    measured: lastLine,
    holds: code === 0,
  };
}

async function measurePermits(url: string, folder: string): Promise<Checked> {
  say("permits of ten workers");
  const { code, lastLine } = await run([askPermits, "--url", url], folder);
  if (code !== 0) throw new Error(`ask-permits.ts ended with ${code}`);
  const found = latencies.parse(JSON.parse(lastLine));
  return {
    what: "a permit, ten workers that ask 100 times a second together, ms (p50 / p99 / max)",
    bound: `p99 <= ${permitP99MsMax} ms`,
    measured: `${shown(found)}, of ${found.count.toLocaleString("en")}`,
    holds: found.p99 <= permitP99MsMax,
  };
}

/** Fingerprints, 4,000 at a time, and the commits of their chunks. */
async function measureKeys(url: string, folder: string, keys: number): Promise<readonly Checked[]> {
  say(`fingerprints of ${keys.toLocaleString("en")} keys in Postgres`);
  const args = [trackKeys, "--url", url, "--keys", String(keys), "--at-once", "4000"];
  const { code, lastLine } = await run(args, folder);
  if (code !== 0) throw new Error(`track-keys.ts ended with ${code}`);
  const { parts } = readTracked(lastLine);
  const chunks = parts
    .filter(({ commits }) => commits.count > 0)
    .map((part) => ({ ...part, name: `${keys.toLocaleString("en")} keys, ${part.name}` }));
  return [...chunks.map(checkRate), ...chunks.flatMap(checkCommits)];
}

function checkRate({ name, keys, seconds }: TrackedPart): Checked {
  const rate = Math.round(keys / seconds);
  const least = name.includes("unchanged")
    ? unchangedPerSecondMin
    : name.includes("first")
      ? firstLoadPerSecondMin
      : 0;
  return {
    what: `${name}: keys/s, 4,000 at a time, their commits among them`,
    bound: least === 0 ? "" : `>= ${least.toLocaleString("en")}`,
    measured: rate.toLocaleString("en"),
    holds: rate >= least,
  };
}

function checkCommits({ name, commits, prepared }: TrackedPart): readonly Checked[] {
  return [
    {
      what: `${name}: the commit of a chunk of 20,000, ms (p50 / p99 / max)`,
      bound: `p99 <= ${commitP99MsMax} ms`,
      measured: `${shown(commits)}, of ${commits.count}`,
      holds: commits.p99 <= commitP99MsMax,
    },
    {
      what: `${name}: what is written of it while it is on its way, ms (p50 / p99 / max)`,
      bound: "",
      measured: shown(prepared),
      holds: true,
    },
  ];
}
