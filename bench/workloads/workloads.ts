import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { Build } from "../builds.ts";
import { run } from "../child.ts";
import { flagsOf } from "../launch-flags.ts";
import { BenchProject } from "../project.ts";
import { makeEmpty, usageSchema } from "../rounds.ts";

/** The rows, and a folder that is emptied before each build's turn. */
export type WorkloadInput = {
  readonly csv: string;
  readonly rows: number;
  readonly folder: string;
};

/** A user's work, in consecutive steps; each build does all of it in its turn. */
export type Workload = {
  readonly name: string;
  readonly steps: readonly string[];
  /** Processor seconds of each step. @throws if a step did not do its work. */
  readonly measure: (build: Build, input: WorkloadInput) => Promise<readonly number[]>;
};

/** Where a commit may have its program that stages: the newest place first. */
const stagingPrograms = ["bench/workloads/stage-sluice.ts", "bench/stage-sluice.ts"];

/** Stages all rows in the activities' threads, without Temporal and the service. @returns processor seconds */
async function stage(
  build: Build,
  { csv, rows, folder }: WorkloadInput,
  of: { readonly send: "all" | "changed"; readonly records: number },
): Promise<number> {
  const members = JSON.stringify({ path: csv });
  const programs = stagingPrograms.map((path) => join(build.root, path));
  const program = programs.find((path) => existsSync(path));
  if (program === undefined) throw new Error(`${build.name} has none of ${programs.join(", ")}`);
  const from = ["--connector", "csv", "--members", members];
  const flags = await flagsOf("worker");
  const args = [...flags, program, ...from, "--send", of.send, "--folder", folder];
  const { code, lastLine } = await run(args, folder);
  const what = `${build.name}: staging ${rows} rows, send: ${of.send}`;
  if (code !== 0) throw new Error(`${what} ended with ${code}; what it said stands above`);
  const { records, unchanged, cpuSeconds } = usageSchema.parse(JSON.parse(lastLine));
  if (records !== of.records || records + unchanged !== rows) {
    throw new Error(`${what} staged ${records} and left out ${unchanged}, not ${of.records}`);
  }
  return cpuSeconds;
}

/**
 * Runs a project's sync as a user does. @returns processor seconds of `sluice run`, including its worker and
 * sandbox, without Temporal
 */
async function runSync(
  { name }: Build,
  project: BenchProject,
  { rows, sent }: { readonly rows: number; readonly sent: number },
): Promise<number> {
  const { code, cpuSeconds, report } = await project.run();
  const { counts, outcome } = report;
  if (code !== 0 || counts.read !== rows || counts.sent !== sent) {
    const found = `${outcome}, ${counts.read} read, ${counts.sent} sent, exit ${code}`;
    throw new Error(`${name}: sluice run of ${rows} rows: ${found}, and not ${sent} sent`);
  }
  return cpuSeconds;
}

/** All workloads, by the name that `--only` takes. */
export const workloads: readonly Workload[] = [
  {
    name: "stage-all",
    steps: ["staging, `send: all`"],
    measure: async (build, input) => [
      await stage(build, input, { send: "all", records: input.rows }),
    ],
  },
  {
    name: "stage-changed",
    steps: ["staging, `send: changed`, first load", "staging, `send: changed`, all unchanged"],
    measure: async (build, input) => [
      await stage(build, input, { send: "changed", records: input.rows }),
      await stage(build, input, { send: "changed", records: 0 }),
    ],
  },
  {
    name: "run",
    steps: ["`sluice run`, the first", "`sluice run`, all unchanged"],
    measure: async (build, { csv, rows, folder }) => {
      const program = join(build.root, "bin/sluice.js");
      const connection = { connector: "csv", path: csv };
      const project = await BenchProject.open(join(folder, "project"), connection, { program });
      try {
        const first = await runSync(build, project, { rows, sent: rows });
        return [first, await runSync(build, project, { rows, sent: 0 })];
      } finally {
        await project.close();
      }
    },
  },
];

/** Runs a workload on a build in an empty folder, which is removed afterwards. */
export async function measureOnce(
  workload: Workload,
  build: Build,
  input: WorkloadInput,
): Promise<readonly number[]> {
  await makeEmpty(input.folder);
  try {
    return await workload.measure(build, input);
  } finally {
    await rm(input.folder, { recursive: true, force: true });
  }
}
