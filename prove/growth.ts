import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Checked } from "../bench/bounds.ts";
import { say } from "../bench/report.ts";
import { end } from "../test/support/process/process.ts";
import { Project, projectHead, syncsConfig } from "../test/support/project/project.ts";
import { writeManyRuns } from "../test/support/ui/large-store.ts";

const [syncs, files, rowsOfFile, runs] = [200, 1_000, 20, 10_000];
const commandMsMax = 1_000;
const workerMsMax = 3_000;
const applyMsMax = 30_000;
/** Runs of each command, of which the median counts, because others share the machine. */
const looks = 3;

const shown = (count: number): string => count.toLocaleString("en");

/** A command, and the most time it may take. */
export type Commanded = {
  readonly what: string;
  readonly args: readonly string[];
  readonly msMax: number;
};

/** Times a command of a project from start to end. */
export async function timed(project: Project, { what, args, msMax }: Commanded): Promise<Checked> {
  const took: number[] = [];
  for (let look = 0; look < looks; look++) {
    const from = performance.now();
    const { code, stderr } = await project.sluice(...args);
    took.push(performance.now() - from);
    if (code !== 0) throw new Error(`sluice ${args.join(" ")}: ${stderr}`);
  }
  const ms = took.toSorted((a, b) => a - b)[Math.floor(looks / 2)] ?? Number.NaN;
  return {
    what,
    bound: `< ${shown(msMax)} ms`,
    measured: `${shown(Math.round(ms))} ms`,
    holds: ms < msMax,
  };
}

/** Proves something in a project, which is removed afterwards. */
export async function inProject(
  text: Readonly<Record<string, string>>,
  prove: (project: Project) => Promise<readonly Checked[]>,
): Promise<readonly Checked[]> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await prove(await Project.start((work) => void ends.push(work), text));
  } finally {
    for (const work of ends.toReversed()) await work();
  }
}

/** A project of 200 syncs, each with a schedule. */
async function proveSyncs(): Promise<readonly Checked[]> {
  say(`${syncs} syncs`);
  const names = Array.from({ length: syncs }, (_, at) => `sync-${at}`);
  const schedule = 'schedule: { at: "02:30", time_zone: UTC }';
  const config = syncsConfig(Object.fromEntries(names.map((name) => [name, schedule])));
  const csv = "id,domain,name,employees\na,a.example,A,1\n";
  const csvs = names.map((name) => [`${name}.csv`, csv] as const);
  return await inProject(
    { "sluice.yaml": config, ...Object.fromEntries(csvs) },
    async (project) => {
      const from = performance.now();
      const worker = await project.worker();
      const startMs = performance.now() - from;
      const began = performance.now();
      const applied = await project.sluice("schedule", "apply", "--yes");
      const applyMs = performance.now() - began;
      const status = await timed(project, {
        what: `${syncs} syncs, each with a schedule: \`sluice status\``,
        args: ["status"],
        msMax: commandMsMax,
      });
      const paused = await project.sluice("schedule", "pause", "sync-7", "--note", "migration");
      const after = await project.sluice("status");
      const showsPause = paused.code === 0 && after.stdout.includes("paused: ");
      await end(worker, "SIGTERM");
      return [
        {
          what: `${syncs} syncs: from the start of \`sluice worker\` until it polls`,
          bound: `< ${shown(workerMsMax)} ms`,
          measured: `${shown(Math.round(startMs))} ms`,
          holds: startMs < workerMsMax,
        },
        {
          what: `${syncs} syncs: \`sluice schedule apply\`, all of them new`,
          bound: `< ${shown(applyMsMax)} ms`,
          measured: `${shown(Math.round(applyMs))} ms`,
          holds: applied.code === 0 && applyMs < applyMsMax,
        },
        status,
        {
          what: `${syncs} syncs: \`sluice status\` right after \`sluice schedule pause\``,
          bound: "shows the pause",
          measured: showsPause ? "does" : "does not",
          holds: showsPause,
        },
      ];
    },
  );
}

/** 1,000 files that match one pattern, read twice. */
async function proveFiles(): Promise<readonly Checked[]> {
  say(`${files} files behind one pattern`);
  const config = `${projectHead}connections:
  exports: { connector: csv, path: "./in/*.csv" }
syncs:
  accounts:
    from: exports
    stream: account
    record: { account_id: id, domain: { column: domain, as: domain }, account_properties: { name: name } }
`;
  return await inProject({ "sluice.yaml": config }, async (project) => {
    await mkdir(join(project.folder, "in"));
    for (let file = 0; file < files; file++) {
      const rows = Array.from(
        { length: rowsOfFile },
        (_, row) => `a${file}-${row},c${file}.example,C`,
      );
      const text = ["id,domain,name", ...rows, ""].join("\n");
      await writeFile(join(project.folder, "in", `part-${file}.csv`), text);
    }
    const worker = await project.worker();
    const checked: Checked[] = [];
    for (const [name, sent] of [
      ["first", files * rowsOfFile],
      ["second", 0],
    ] as const) {
      const { code, stderr } = await project.sluice("run", "accounts");
      if (code !== 0) throw new Error(`sluice run: ${stderr}`);
      const { counts, duration_ms: ms, balanced } = await project.report();
      checked.push({
        what: `${shown(files)} files of ${rowsOfFile} rows behind one pattern: the ${name} run`,
        bound: `balanced, ${shown(files * rowsOfFile)} read, ${shown(sent)} sent`,
        measured: `${shown(counts.read)} read, ${shown(counts.sent)} sent, ${(ms / 1_000).toFixed(1)} s`,
        holds: balanced && counts.read === files * rowsOfFile && counts.sent === sent,
      });
    }
    await end(worker, "SIGTERM");
    return checked;
  });
}

/** A store of 10,000 runs and 1,000,000 open rejects: times each command that reads it. */
async function proveRunsKept(): Promise<readonly Checked[]> {
  say(`${runs} runs with 100 rejects each`);
  const text = {
    "sluice.yaml": syncsConfig({ accounts: "", contacts: "", signups: "" }),
    "accounts.csv": "id,domain,name,employees\nk5001-7,a.example,A,1\n",
  };
  return await inProject(text, async (project) => {
    const target = `${new URL(project.sandbox.address).origin} main`;
    await writeManyRuns(project.state, { target, runs });
    const what = `${shown(runs)} runs and ${shown(runs * 100)} open rejects`;
    const commands = [
      ["status"],
      ["runs", "list"],
      ["runs", "show", "run-5000"],
      ["rejects", "list", "--open"],
      ["rejects", "list", "--open", "--code", "ragged_row"],
      ["rejects", "list", "run-5000"],
      ["explain", "accounts", "k5001-7"],
    ];
    const checked: Checked[] = [];
    for (const args of commands) {
      const of = { what: `${what}: \`sluice ${args.join(" ")}\``, args, msMax: commandMsMax };
      checked.push(await timed(project, of));
    }
    return checked;
  });
}

/** Growth over a year: syncs, files, runs and rejects. */
export async function proveGrowth(): Promise<readonly Checked[]> {
  return [...(await proveSyncs()), ...(await proveFiles()), ...(await proveRunsKept())];
}
