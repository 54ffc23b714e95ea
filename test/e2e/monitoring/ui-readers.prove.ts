import { execFile, spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { end, until, watch } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, bin, Project } from "../../support/project/project.ts";

const [rows, requests, pairs] = [1_000_000, 1_000, 5];
const shareMin = 0.95;
const timeoutMs = 1_200_000;

const readers = resolve(import.meta.dirname, "../../support/ui/many-readers.ts");

const told = z.object({ ms: z.number(), answers: z.record(z.string(), z.int()) });

/** The pages in a process of their own, as `sluice ui` shows them. */
async function startUi(project: Project): Promise<string> {
  const child = spawn(process.execPath, [bin, "ui", "--port", "0", "--json"], {
    cwd: project.folder,
    env: project.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { printed, ended } = watch(child);
  onTestFinished(async () => {
    await end(child, "SIGKILL");
    await ended;
  });
  return await until(async () => {
    if (child.exitCode !== null) throw new Error(`sluice ui ended: ${printed().stderr}`);
    return await Promise.resolve(/"address":"(http:[^"]+)"/.exec(printed().stdout)?.[1]);
  });
}

/** Who asks takes the processor only when nobody else wants it: they would be on another machine. */
async function askAtOnce(address: string): Promise<void> {
  const asking = ["-n", "19", process.execPath, readers, address, String(requests)];
  const { stdout } = await promisify(execFile)("nice", asking);
  process.stdout.write(stdout);
  const { 200: shown = 0, 503: later = 0 } = told.parse(JSON.parse(stdout)).answers;
  expect(shown + later).toBe(requests);
  expect(shown).toBeGreaterThan(requests / 2);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

it(
  "1,000 requests at once leave the worker beside the pages 95 % of its throughput, and are answered",
  async () => {
    const project = await Project.start(onTestFinished, {
      "sluice.yaml": accountsConfig({ sync: "send: all" }),
      "accounts.csv": accountsCsv(rows),
    });
    await project.worker();
    const address = await startUi(project);
    let runs = 0;
    /** Rows a second of a run, beside which nobody asks or many do. */
    const rateOf = async (isAsked: boolean): Promise<number> => {
      runs += 1;
      const handle = await project.start({ sync: "accounts" }, `run-${runs}`);
      await delay(500);
      const [report] = await Promise.all([
        handle.result(),
        isAsked ? askAtOnce(address) : undefined,
      ]);
      expect(report).toMatchObject({ outcome: "done", counts: { sent: rows } });
      return rows / (report.duration_ms / 1_000);
    };
    await rateOf(true);
    const shares: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      // By turns which comes first: what else the machine does is no part of it.
      const [first, second] = [await rateOf(pair % 2 === 0), await rateOf(pair % 2 === 1)];
      const share = pair % 2 === 0 ? first / second : second / first;
      process.stdout.write(
        `pair ${pair + 1}: ${share.toFixed(3)}, ${[first, second].map(Math.round).join(" and ")} rows/s\n`,
      );
      shares.push(share);
    }
    expect(median(shares)).toBeGreaterThanOrEqual(shareMin);
  },
  timeoutMs,
);
