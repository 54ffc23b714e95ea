import { request } from "undici";
import { z } from "zod";

import { firstChunkOf, laneOf } from "../../../src/lane-of.ts";
import type { LedgerEntry } from "../../../src/sandbox/ledger.ts";
import type { Staging } from "../../../src/state/contract/sends/stagings.ts";
import type { StateClient } from "../../../src/state/state-store.ts";
import {
  canonicalJson,
  type HeldRecord,
  type OracleRow,
  type PartFacts,
  type ServiceFacts,
  type StoreFacts,
} from "./facts.ts";

const ledgerEntry = z.custom<LedgerEntry>((value) => typeof value === "object" && value !== null);
const held = z.object({ record: z.looseObject({}), file_key: z.string() });
const csvMark = z.object({ file: z.string(), line: z.int() });

const rejectsPageMax = 1_000;

async function readLines(url: string): Promise<unknown[]> {
  const { body } = await request(url);
  const lines = (await body.text()).split("\n").filter((line) => line !== "");
  return lines.map((line): unknown => JSON.parse(line));
}

/** What a sandbox shows: its ledger from line `since` on, and its accounts. */
export async function readService(address: string, since = 0): Promise<ServiceFacts> {
  const [entries, lines] = await Promise.all([
    readLines(`${address}/_sandbox/ledger`),
    readLines(`${address}/_sandbox/records?stream=account`),
  ]);
  const records = new Map<string, HeldRecord>();
  for (const line of lines) {
    const { record, file_key: fileKey } = held.parse(line);
    records.set(String(record["account_id"]), { record: canonicalJson(record), fileKey });
  }
  return { ledger: entries.slice(since).map((entry) => ledgerEntry.parse(entry)), records };
}

/** Rows of a source of CSV files that a position covers, counted from the first; null covers none. */
export function coveredRows(oracle: readonly OracleRow[], position: unknown): number {
  if (position === null) return 0;
  const { file, line } = csvMark.parse(position);
  const lineOf = (place: string): number => Number(place.slice(file.length + 1));
  const isOf = ({ place }: OracleRow): boolean => place.startsWith(`${file}:`);
  const first = oracle.findIndex(isOf);
  if (first === -1) throw new Error(`no row of the source is in ${file}`);
  const next = oracle.findIndex(
    (row, index) => index >= first && (!isOf(row) || lineOf(row.place) >= line),
  );
  return next === -1 ? oracle.length : next;
}

async function* sendsOf(
  state: Pick<StateClient, "staging">,
  { runId, lane }: { readonly runId: string; readonly lane: number },
): AsyncGenerator<Staging> {
  for (let chunk = firstChunkOf(lane); ; chunk++) {
    for (let stage = 1; ; stage++) {
      const send = await state.staging({ runId, chunk, stage });
      if (send === undefined && stage === 1) return;
      if (send === undefined) break;
      yield send;
    }
  }
}

async function rejectsOf(
  state: Pick<StateClient, "rejects">,
  runId: string,
): Promise<StoreFacts["rejects"]> {
  const rejects: Awaited<ReturnType<StateClient["rejects"]>> = [];
  for (;;) {
    const page = await state.rejects({ runId, after: rejects.at(-1), limit: rejectsPageMax });
    rejects.push(...page);
    if (page.length < rejectsPageMax) return rejects;
  }
}

/** Rows that the commits of a backfill cover, counted from its first row: its lanes follow one another. */
function committedRows(committed: readonly Staging[]): number {
  let rows = 0;
  let next = firstChunkOf(1);
  for (const { chunk, read, done } of committed) {
    if (chunk !== next) break;
    rows += read;
    next = done ? firstChunkOf(laneOf(chunk).lane + 1) : chunk + 1;
  }
  return rows;
}

/**
 * What a state store holds of a run over a source of CSV files, or of a backfill; nothing for a run that is not in it.
 */
export async function readStore(
  state: Pick<StateClient, "checkpoint" | "laneSpans" | "receipts" | "rejects" | "run" | "staging">,
  { runId, oracle }: { readonly runId: string; readonly oracle: readonly OracleRow[] },
): Promise<StoreFacts> {
  const run = await state.run(runId);
  if (run === undefined) return { rejects: [], parts: [], covered: 0, version: 0 };
  const checkpoint = await state.checkpoint(run);
  const isBackfill = run.kind === "backfill";
  const lanes = isBackfill ? (await state.laneSpans(runId)).length : 1;
  const sends: Staging[] = [];
  for (let lane = 1; lane <= lanes; lane++) {
    for await (const send of sendsOf(state, { runId, lane })) sends.push(send);
  }
  const parts: PartFacts[] = [];
  for (const { chunk, stage, state: now } of sends) {
    if (now !== "dropped") parts.push(...(await state.receipts({ runId, chunk, stage })));
  }
  // For a source that is read whole each time, the position belongs to the run that saved it.
  const position = checkpoint.runId === runId ? checkpoint.position : null;
  const committed = sends.filter(({ state: now }) => now === "committed");
  return {
    rejects: await rejectsOf(state, runId),
    parts,
    covered: isBackfill ? committedRows(committed) : coveredRows(oracle, position),
    version: checkpoint.version,
  };
}
