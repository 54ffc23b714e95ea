// Stages a CSV of accounts as a worker does, chunk after chunk in stage threads with a SQLite store, but without Temporal
// and the service: node bench/stage-sluice.ts --csv accounts.csv --folder out --send all|changed
// The main thread has nothing to do but what a worker's has meanwhile: to be there in time for heartbeats.
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

import type { StageJob } from "../activities/stage-line.ts";
import type * as StageThreads from "../activities/stage-threads.ts";
import type { CsvConfig } from "../connectors/csv/config.ts";
import type * as Limits from "../src/limits.ts";
import type * as Folder from "../src/staging/folder.ts";
import type * as Sqlite from "../src/state/sqlite.ts";
import type { StateStore } from "../src/state/state-store.ts";
import { accountMapping } from "./accounts.ts";
import { built } from "./built.ts";
import { tellUsage } from "./usage.ts";

const limits = await built<typeof Limits>("src/limits.js");
const { stagedFile } = await built<typeof Folder>("src/staging/folder.js");
const { openSqliteStore } = await built<typeof Sqlite>("src/state/sqlite.js");
const { createStageThreads } = await built<typeof StageThreads>("activities/stage-threads.js");

const options = {
  csv: { type: "string" },
  folder: { type: "string" },
  send: { type: "string" },
} as const;
const { csv = "", folder = "", send = "all" } = parseArgs({ options }).values;

const [target, sync, host, stream] = ["bench", "accounts", "bench", "account"] as const;
const runId = `run-${process.pid}`;
const never = new AbortController().signal;

type Drawn = { readonly stage: number; readonly send: number; readonly from: unknown };

/** The job that activities/stage-chunk.ts makes of a sync with default settings. */
async function jobOf(state: StateStore, chunk: number, drawn: Drawn): Promise<StageJob> {
  const { stage } = drawn;
  const changed = {
    target,
    sync,
    runId,
    chunk,
    stage,
    send: drawn.send,
    full: false,
    rejectDuplicates: true,
    dryRun: false,
  };
  return {
    connector: "csv",
    config: { path: csv, quote: '"', encoding: "utf-8", append_only: false } satisfies CsvConfig,
    span: { from: drawn.from ?? undefined, to: undefined },
    pageRowsMax: limits.pageRowsMax,
    limit: undefined,
    mapping: { name: sync, record: accountMapping, stream },
    keepRows: "keep",
    recordBytesMax: undefined,
    changed: send === "all" ? undefined : changed,
    chunk: {
      limits: {
        records: limits.chunkRecordsDefault,
        bytes: limits.chunkBytesDefault,
        rowsRead: limits.chunkRowsReadMax,
        ms: limits.chunkMsMax,
      },
      stream,
      bodyBytesMax: limits.lightweightBodyBytesMax,
      level: 1,
      from: drawn.from,
    },
    stage: { runId, chunk, stage },
    file: stagedFile(join(folder, "staging"), { runId, chunk, stage }),
    rejects: {
      before: await state.totalsBefore({ runId, chunk }),
      limit: { rate: 0.05, rows: 100 },
    },
  };
}

/** What the service would have accepted, so that the next run finds it unchanged. */
async function commit(state: StateStore, chunk: number, stage: number): Promise<void> {
  const at = new Date().toISOString();
  const part = { runId, chunk, stage, part: 0 };
  const { attempts } = await state.beginPart({ ...part, form: "file", host, at });
  await state.movePart({ ...part, attempts, state: "accepted", at });
  await state.commitChunk({ runId, chunk, stage, at });
}

async function stageAll(
  state: StateStore,
): Promise<{ files: string[]; records: number; unchanged: number }> {
  const threads = createStageThreads(state);
  const at = new Date().toISOString();
  const workflow = { runId, kind: "sync", workflowId: runId, firstRunId: runId };
  const opening = { temporalId: "", configHash: "", request: {}, startedAt: at };
  await state.openRun({ ...workflow, ...opening, sync, target });
  await state.takeLock({ ...workflow, name: sync, at });
  await state.placeRun({ runId, checkpointVersion: 0, from: null });
  const files: string[] = [];
  const sum = { records: 0, unchanged: 0 };
  for (let [chunk, done] = [1, false]; !done; chunk += 1) {
    const drawn = await state.drawStage({ runId, chunk, host });
    const job = await jobOf(state, chunk, drawn);
    const staged = await threads.run(job, { signal: never, progress: () => undefined });
    const name = { runId, chunk, stage: drawn.stage };
    await state.finishStage({ ...name, ...staged, bodies: staged.bodies ?? [] });
    await commit(state, chunk, drawn.stage);
    files.push(job.file);
    sum.records += staged.counts.records;
    sum.unchanged += staged.counts.unchanged;
    ({ done } = staged);
  }
  await state.releaseLock({ name: sync, firstRunId: runId });
  await threads.close();
  return { files, ...sum };
}

const state = await openSqliteStore(folder);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const result = await stageAll(state);
delay.disable();
await state.close();
tellUsage({ ...result, loopP99Ms: delay.percentile(99) / 1e6, loopMaxMs: delay.max / 1e6 });
