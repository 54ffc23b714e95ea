import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { TestEnd, FileRun } from "./verdict.ts";

/** The part of the report of vitest's JSON reporter that is read here. */
const report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

/** The tests to run, and how. */
export type Asked = {
  /** A copy of the project. */
  readonly folder: string;
  /** Their files, which run one at a time. */
  readonly files: readonly string[];
  /** Texts; each title to run holds one of them. */
  readonly titles: readonly string[];
  /** The time after which they are cut off. */
  readonly msMax: number;
  readonly signal: AbortSignal;
  /** Whether they end at the first red one. @default false */
  readonly endsAtRed?: boolean;
  /** Whether a test that asserts nothing is red. @default false */
  readonly mustAssert?: boolean;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs tests of a copy of the project, in a process group of its own, which is gone afterwards. */
export async function runTests(asked: Asked): Promise<FileRun> {
  const { folder, files, titles, msMax, signal, env = {} } = asked;
  signal.throwIfAborted();
  // Files left by the tests of a killed process go with the copy.
  const temporary = join(folder, "tmp");
  await mkdir(temporary, { recursive: true });
  const output = join(temporary, `report-${randomUUID()}.json`);
  const pattern = titles.map(escaped).join("|");
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const how = [
    "--no-file-parallelism",
    "--reporter=json",
    `--outputFile=${output}`,
    `--bail=${asked.endsAtRed === true ? 1 : 0}`,
    `--expect.requireAssertions=${asked.mustAssert === true}`,
  ];
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    [vitest, "run", ...files, "--testNamePattern", pattern, ...how],
    {
      cwd: folder,
      env: { ...process.env, ...env, TMPDIR: temporary },
      detached: true,
      stdio: "ignore",
    },
  );
  const limit = AbortSignal.any([signal, AbortSignal.timeout(msMax)]);
  const stop = (): void => endGroup(child.pid);
  limit.addEventListener("abort", stop, { once: true });
  await once(child, "close");
  const isHung = limit.aborted;
  limit.removeEventListener("abort", stop);
  stop();
  signal.throwIfAborted();
  const seconds = (performance.now() - startedMs) / 1_000;
  const isFailed = child.exitCode !== 0;
  return { isHung, isFailed, seconds, ends: isHung ? [] : await readEnds(output) };
}

/** A pattern that matches only this text. */
function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}

/** Kills a process group of ours, including its servers and workers. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}

async function readEnds(output: string): Promise<TestEnd[]> {
  const text = await readFile(output, "utf8").catch(() => '{"testResults":[]}');
  const { testResults } = report.parse(JSON.parse(text));
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults
      // Tests that the pattern excludes are "skipped".
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ title, status, failureMessages: [why = ""] }) => ({
        title,
        isGreen: status === "passed",
        why: why.split("\n", 1).join(),
      })),
  );
}
