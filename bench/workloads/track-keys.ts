// Keeps the fingerprints of many keys in a state store, as runs with `send: changed` do, and measures each call:
// node bench/workloads/track-keys.ts --folder state --keys 10000000
// The first run loads all keys in order; later runs take keys from all over the table, each key once.
// --parts 2 ends after two runs, --bare keeps no hashes of fields, --at-once 4000 makes a call take 4,000 keys.
// --url postgres://... keeps them on a server instead, in a new schema of its own, which stays.
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type * as Secrets from "../../src/security/secret.ts";
import type * as Fingerprints from "../../src/state/contract/keys/fingerprints.ts";
import type * as KnownRecords from "../../src/state/contract/keys/known-records.ts";
import type * as Migrating from "../../src/state/postgres/migrate.ts";
import type * as Postgres from "../../src/state/postgres/open.ts";
import type * as Sqlite from "../../src/state/sqlite/open.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import type * as TextBlocks from "../../src/state/text-block.ts";
import { built } from "../built.ts";
import { type Latencies, latenciesOf } from "../latencies.ts";
import { accountMapping } from "./account-mapping.ts";
import { beginRun, commit, endRun, host, owner } from "./staged-run.ts";

const { textBlockOf } = await built<typeof TextBlocks>("src/state/text-block.js");
const { openSqliteStore } = await built<typeof Sqlite>("src/state/sqlite/open.js");
const { hashBytes, isSent, verdict } = await built<typeof Fingerprints>(
  "src/state/contract/keys/fingerprints.js",
);
const { fieldHashBytes } = await built<typeof KnownRecords>(
  "src/state/contract/keys/known-records.js",
);

/** Fewer than a worker's, so that there are enough commits to measure. */
const keysPerChunk = 20_000;

/** Keys of each run after the first. */
const keysPerRunMax = 500_000;

/**
 * Prime, so that steps of it visit every key before any key again, and far from a simple fraction of any
 * number of keys: with 1,000,000,007 and 10,000,000 keys, the next key was only seven further on.
 */
const stride = 618_034_003;

const fieldBytes = fieldHashBytes * (Object.keys(accountMapping.account_properties).length + 1);

const options = {
  folder: { type: "string", default: "" },
  keys: { type: "string", default: "10000000" },
  parts: { type: "string" },
  bare: { type: "boolean", default: false },
  // As many as the pipeline collects (src/pipeline/changed.ts).
  "at-once": { type: "string", default: "10000" },
  url: { type: "string" },
} as const;
const {
  folder,
  keys,
  bare,
  parts: partsMax,
  url,
  "at-once": atOnce,
} = parseArgs({ options }).values;
/** Keys per call. */
const keysPerCall = Number(atOnce);
const tracked = Number(keys);

/** The work of a run: its keys, the version of their records, and the expected verdict on all of them. */
type Part = {
  readonly name: string;
  readonly count: number;
  readonly keyOf: (index: number) => string;
  readonly version: number;
  readonly verdict: number;
};

type Figures = {
  readonly name: string;
  readonly keys: number;
  readonly seconds: number;
  /** Processor time of all threads for each key, in µs. */
  readonly cpuUsPerKey: number;
  readonly calls: Latencies;
  /** The writes for a chunk while it is on its way. */
  readonly prepared: Latencies;
  readonly commits: Latencies;
};

/** The key of a row, 20 characters. */
const keyAt = (row: number): string => `account-${String(row).padStart(12, "0")}`;
const scattered = (index: number): number => (index * stride) % tracked;

function hashesOf(count: number, version: number): Uint8Array {
  // The same for every key of a version: the store compares a hash only with that of its own key.
  return new Uint8Array(count * hashBytes).fill(version);
}

/** Stages one chunk of a part, call by call, and commits it. */
async function stageChunk(
  state: StateStore,
  part: Part,
  at: { readonly runId: string; readonly chunk: number; readonly start: number },
): Promise<
  { readonly calls: readonly number[] } & Readonly<Record<"commitMs" | "preparedMs", number>>
> {
  const { runId, chunk } = at;
  const end = Math.min(part.count, at.start + keysPerChunk);
  const { stage, send } = await state.beginStaging({ runId, chunk, host });
  const calls: number[] = [];
  for (let start = at.start; start < end; start += keysPerCall) {
    const length = Math.min(keysPerCall, end - start);
    const names = Array.from({ length }, (_, index) => part.keyOf(start + index));
    const hashes = hashesOf(length, part.version);
    const fields = bare ? undefined : { fieldBytes, hashes: randomBytes(length * fieldBytes) };
    const settings = { full: false, rejectDuplicates: true };
    const rowNumbers = Uint32Array.from(names, (_, index) => start - at.start + index + 1);
    const name = { ...owner, runId, chunk, stage };
    const startedMs = performance.now();
    const { verdicts, leaving: ids } = await state.stageKeys({
      ...name,
      ...settings,
      send,
      rowNumbers,
      keys: textBlockOf(names),
      hashes,
    });
    if (fields !== undefined && ids.length > 0) {
      await state.keepFields({ ...name, ids, verdicts: verdicts.filter(isSent), ...fields });
    }
    calls.push(performance.now() - startedMs);
    if (verdicts.some((found) => found !== part.verdict)) throw new Error(`wrong: ${part.name}`);
  }
  const read = end - at.start;
  const records = isSent(part.verdict) ? read : 0;
  const counts = { read, records, unchanged: read - records, filtered: 0, rejected: 0 };
  const file = {
    jsonBytes: 0,
    gzipBytes: 0,
    jsonlSha256: "",
    gzipSha256: "",
    bodies: [],
    keys: "[]",
  };
  const name = { runId, chunk, stage };
  await state.finishStage({ ...name, ...file, to: end, done: end === part.count, counts });
  return { calls, ...(await commit(state, name)) };
}

/** Starts a clock of the processor time of all threads; the result returns µs. */
function cpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

async function measure(state: StateStore, part: Part): Promise<Figures> {
  const runId = `run-${part.name.replaceAll(/\W+/g, "-")}`;
  const calls: number[] = [];
  const [prepared, commits] = [new Array<number>(), new Array<number>()];
  const startedMs = performance.now();
  const cpuUs = cpuClock();
  await beginRun(state, runId);
  for (let [chunk, start] = [1, 0]; start < part.count; chunk += 1, start += keysPerChunk) {
    const took = await stageChunk(state, part, { runId, chunk, start });
    calls.push(...took.calls);
    commits.push(took.commitMs);
    prepared.push(took.preparedMs);
  }
  await endRun(state, runId);
  const seconds = (performance.now() - startedMs) / 1_000;
  const figures = {
    calls: latenciesOf(calls),
    prepared: latenciesOf(prepared),
    commits: latenciesOf(commits),
  };
  const cpuUsPerKey = cpuUs() / part.count;
  return { name: part.name, keys: part.count, seconds, cpuUsPerKey, ...figures };
}

/** Looks up keys, which writes nothing. */
async function look(state: StateStore, count: number): Promise<Figures> {
  const calls: number[] = [];
  const startedMs = performance.now();
  const cpuUs = cpuClock();
  for (let start = 0; start < count; start += keysPerCall) {
    const length = Math.min(keysPerCall, count - start);
    const names = Array.from({ length }, (_, index) => keyAt(scattered(start + index)));
    const callMs = performance.now();
    const known = await state.knownRecords({ ...owner, keys: names });
    calls.push(performance.now() - callMs);
    if (known.some((one) => one.state !== "accepted")) throw new Error("a key is not known");
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const none = latenciesOf([]);
  const latenciesOfAll = { calls: latenciesOf(calls), prepared: none, commits: none };
  const cpuUsPerKey = cpuUs() / count;
  return {
    name: "looked up only, random keys",
    keys: count,
    seconds,
    cpuUsPerKey,
    ...latenciesOfAll,
  };
}

const count = Math.min(tracked, keysPerRunMax);
const random = { count, keyOf: (index: number) => keyAt(scattered(index)) };
const parts: readonly Part[] = [
  {
    name: "first load, keys in order",
    count: tracked,
    keyOf: keyAt,
    version: 1,
    verdict: verdict.new,
  },
  { ...random, name: "unchanged, random keys", version: 1, verdict: verdict.unchanged },
  { ...random, name: "changed, random keys", version: 2, verdict: verdict.changed },
  {
    ...random,
    name: "new keys, all over the table",
    keyOf: (index) => `${random.keyOf(index)}-new`,
    version: 1,
    verdict: verdict.new,
  },
];

/** Opens a store in a new schema of a server. */
async function openOnServer(address: string): Promise<StateStore> {
  const { Secret } = await built<typeof Secrets>("src/security/secret.js");
  const { migrateStore } = await built<typeof Migrating>("src/state/postgres/migrate.js");
  const { openPostgresStore } = await built<typeof Postgres>("src/state/postgres/open.js");
  const server = { url: new Secret(address), schema: `bench_${randomBytes(4).toString("hex")}` };
  await migrateStore(server);
  return await openPostgresStore(server);
}

const state = await (url === undefined ? openSqliteStore(folder) : openOnServer(url));
const figures: Figures[] = [];
const wanted = parts.slice(0, partsMax === undefined ? parts.length : Number(partsMax));
for (const part of wanted) figures.push(await measure(state, part));
if (partsMax === undefined) figures.push(await look(state, count));
const bytes = url === undefined ? (await stat(join(folder, "state.db"))).size : 0;
await state.close();
console.log(JSON.stringify({ parts: figures, bytes }));
