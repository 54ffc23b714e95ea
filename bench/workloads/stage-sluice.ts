// Stages accounts as a worker does, chunk after chunk in stage threads with a SQLite store, but without
// Temporal and the service: node bench/workloads/stage-sluice.ts --connector csv --members
// '{"path":"accounts.csv"}' --folder out --send all|changed --mapping rules|json|module [--watch-loop]. Like a
// worker's, the main thread has only one duty meanwhile: to be there in time for heartbeats. The
// three mappings make the same lines.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import type { StageJob } from "../../activities/stage/stage-job.ts";
import type * as StageThreads from "../../activities/stage/stage-threads.ts";
import type * as Registry from "../../connectors/registry.ts";
import { sha256 } from "../../src/config/hash.ts";
import type * as Limits from "../../src/limits.ts";
import type * as Folder from "../../src/staging/folder.ts";
import type * as ChangesOf from "../../src/state/contract/sends/changes.ts";
import type * as Sqlite from "../../src/state/sqlite/open.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { built } from "../built.ts";
import { tellUsage } from "../usage.ts";
import { accountMapping } from "./account-mapping.ts";
import { beginRun, commit, endRun, host, owner } from "./staged-run.ts";

const { noChanges, withChanges } = await built<typeof ChangesOf>(
  "src/state/contract/sends/changes.js",
);
const limits = await built<typeof Limits>("src/limits.js");
const { stagedFile } = await built<typeof Folder>("src/staging/folder.js");
const { openSqliteStore } = await built<typeof Sqlite>("src/state/sqlite/open.js");
const { sources } = await built<typeof Registry>("connectors/registry.js");
const { createStageThreads } = await built<typeof StageThreads>(
  "activities/stage/stage-threads.js",
);

const options = {
  connector: { type: "string", default: "" },
  members: { type: "string", default: "{}" },
  folder: { type: "string", default: "" },
  send: { type: "string", default: "all" },
  mapping: { type: "string", default: "rules" },
  "watch-loop": { type: "boolean", default: false },
} as const;
const {
  connector,
  members,
  folder,
  send,
  mapping,
  "watch-loop": watchLoop,
} = parseArgs({ options }).values;

// The connection and `from` of sluice.yaml, parsed as a worker parses them.
const config = sources.get(connector)?.config.parse(JSON.parse(members));
const { target, sync } = owner;
const stream = "account";
const runId = `run-${process.pid}`;
const never = new AbortController().signal;

const { account_properties: properties } = accountMapping;
const asJson = { column: "employees", as: "json" } as const;

/** The requested mapping, in the form that a sync has. */
async function mappingOf(): Promise<StageJob["mapping"]> {
  if (mapping === "module") {
    const path = fileURLToPath(new URL("map-account.ts", import.meta.url));
    return { name: sync, stream, recordModule: { path, hash: sha256(await readFile(path)) } };
  }
  const account_properties = mapping === "json" ? { ...properties, employees: asJson } : properties;
  return { name: sync, stream, record: { ...accountMapping, account_properties } };
}

const mapped = await mappingOf();

type Drawn = { readonly stage: number; readonly send: number; readonly from: unknown };

/** The job that activities/stage/stage-chunk.ts makes for a sync with default settings. */
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
  };
  return {
    connector,
    config,
    span: { from: drawn.from ?? undefined, to: undefined },
    names: undefined,
    isReplay: false,
    pageRowsMax: limits.pageRowsMax,
    limit: undefined,
    mapping: mapped,
    keepRows: "keep",
    recordBytesMax: undefined,
    changed: send === "all" ? undefined : changed,
    chunk: {
      limits: {
        records: 100_000,
        bytes: 64 * 1024 * 1024,
        rowsRead: limits.chunkRowsReadMax,
        ms: 5 * 60_000,
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

async function stageAll(
  state: StateStore,
): Promise<{ files: string[]; records: number; unchanged: number; changes: ChangesOf.Changes }> {
  const threads = createStageThreads(state);
  await beginRun(state, runId);
  const files: string[] = [];
  const sum = { records: 0, unchanged: 0, changes: noChanges };
  let committing: Promise<unknown> = Promise.resolve();
  for (let [chunk, done] = [1, false]; !done; chunk += 1) {
    const drawn = await state.beginStaging({ runId, chunk, host });
    const job = await jobOf(state, chunk, drawn);
    const staged = await threads.run(job, { signal: never, progress: () => undefined });
    const name = { runId, chunk, stage: drawn.stage };
    await state.finishStage({ ...name, ...staged, bodies: staged.bodies ?? [] });
    // As in a run, the next chunk is staged meanwhile.
    await committing;
    committing = commit(state, name);
    files.push(job.file);
    sum.records += staged.counts.records;
    sum.unchanged += staged.counts.unchanged;
    if (staged.changes !== undefined) sum.changes = withChanges(sum.changes, staged.changes);
    ({ done } = staged);
  }
  await committing;
  await endRun(state, runId);
  await threads.close();
  return { files, ...sum };
}

const state = await openSqliteStore(folder);
const delay = monitorEventLoopDelay({ resolution: 1 });
// Only on request: waking the thread each millisecond takes 2 % of the processor time.
if (watchLoop) delay.enable();
const result = await stageAll(state);
delay.disable();
await state.close();
const loop = { loopP99Ms: delay.percentile(99) / 1e6, loopMaxMs: delay.max / 1e6 };
tellUsage({ ...result, ...(watchLoop ? loop : {}) });
