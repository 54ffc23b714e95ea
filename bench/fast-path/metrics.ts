import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { request } from "undici";

import { freePorts } from "../../src/local/ports.ts";
import { medianInterval, pairsMin, ratiosOf } from "../pairs.ts";
import { say } from "../report.ts";
import { makeRows } from "../workloads/accounts.ts";
import type { Figures, PartInput } from "./part.ts";
import { ServedProject } from "./served-project.ts";

/** As in `deploy/prometheus/prometheus.yaml`. */
const scrapedEveryMs = 15_000;

/** Scrapes until aborted; returns the number of answers. A worker that has not begun does not answer yet. */
async function scrape(url: string, signal: AbortSignal): Promise<number> {
  let scrapes = 0;
  while (!signal.aborted) {
    await delay(scrapedEveryMs, undefined, { signal }).catch(() => undefined);
    try {
      const { body } = await request(url);
      await body.dump();
      scrapes += 1;
    } catch {
      // The worker has not begun.
    }
  }
  return scrapes;
}

/** Processor seconds of a project's worker for a run in which nothing has changed. */
async function unchangedRun(project: ServedProject, rows: number): Promise<number> {
  const before = await project.workerCpuSeconds();
  await project.run("changes", { rows, sent: 0 });
  return (await project.workerCpuSeconds()) - before;
}

/**
 * The cost of metrics to a worker: two workers, each in a project of its own, take runs by turns. Many short calls of
 * the store and little else are the most expensive case for counting them.
 */
export async function measureMetrics({ folder, rows, ...asked }: PartInput): Promise<Figures> {
  const rounds = Math.max(asked.rounds, pairsMin);
  const csv = await makeRows(folder, rows);
  const [port = 0] = await freePorts("127.0.0.1", 1);
  await using closing = new AsyncDisposableStack();
  const open = async (name: string, ...options: readonly string[]): Promise<ServedProject> => {
    const project = await ServedProject.open(join(folder, name), {
      changes: { csv, send: "changed" },
    });
    closing.defer(async () => await project.close());
    project.startWorker(...options);
    await project.run("changes", { rows, sent: rows });
    return project;
  };
  const plain = await open("plain");
  const counted = await open("counted", "--http", `127.0.0.1:${port}`);
  const over = new AbortController();
  const scraping = scrape(`http://127.0.0.1:${port}/metrics`, over.signal);
  closing.defer(() => over.abort());
  const [without, withMetrics]: [number[], number[]] = [[], []];
  for (let pair = 0; pair <= rounds; pair += 1) {
    const turns = [
      [plain, without],
      [counted, withMetrics],
    ] as const;
    for (const [project, seconds] of pair % 2 === 0 ? turns : turns.toReversed()) {
      const took = await unchangedRun(project, rows);
      // The first pair warms both up.
      if (pair > 0) seconds.push(took);
    }
    say(
      `pair ${pair} of ${rounds}: ${withMetrics.at(-1) ?? 0} CPU s beside ${without.at(-1) ?? 0}`,
    );
  }
  over.abort();
  const scrapes = await scraping;
  if (scrapes === 0) throw new Error("the worker's metrics were never read");
  const { low, median, high } = medianInterval(ratiosOf(withMetrics, without));
  const interval = `${low.toFixed(3)} to ${high.toFixed(3)} with 95 % certainty`;
  return {
    metricsBesideNone: { value: median, from: `${rounds} pairs, ${interval}, ${scrapes} scrapes` },
  };
}
