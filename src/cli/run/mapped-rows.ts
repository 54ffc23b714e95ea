import { statSync } from "node:fs";
import { join } from "node:path";

import type { Source } from "../../../connectors/contract/connector.ts";
import { readRequestOf } from "../../../connectors/source.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { pageRowsMax } from "../../limits.ts";
import { loadMapping } from "../../mapping/load.ts";
import { writeLines } from "../../pipeline/lines.ts";
import { namedRows } from "../../pipeline/named-rows.ts";
import type { RecordPage } from "../../pipeline/page.ts";
import { readsNewestFirst, rejectOlder } from "../../pipeline/rejects-duplicates.ts";
import { rejectMaker } from "../../pipeline/rejects.ts";
import { withoutRow, type Change } from "../../pipeline/what-changed.ts";
import type { KnownRecord } from "../../state/contract/keys/known-records.ts";
import type { StoredReject } from "../../state/contract/rejects/rejects.ts";
import { inStateFolder } from "../../state/sqlite/state-fault.ts";
import type { StateStore } from "../../state/state-store.ts";
import { withState } from "../output/context.ts";

/** Whether a project has a store. @throws {StateUnavailableError} unknown, as this user may not look there. */
async function hasStore({ store, stateFolder }: Config): Promise<boolean> {
  const file = join(stateFolder, "state.db");
  return (
    store !== undefined ||
    (await inStateFolder(stateFolder, async () => statSync(file, { throwIfNoEntry: false }))) !==
      undefined
  );
}

/**
 * Looks into the state store without a lock, but makes none: if there is none, `work` gets undefined. If `work` only
 * reads, the state folder need not be writable.
 */
export async function withStateThere<Result>(
  config: Config,
  work: (state: StateStore | undefined) => Promise<Result>,
  how: { readonly onlyReads?: boolean } = {},
): Promise<Result> {
  if (!(await hasStore(config))) return await work(undefined);
  return await withState(config, work, how);
}

/** What is known about keys of a sync, in order, as its next run would take it. */
export async function knownOf(
  state: StateStore,
  { config, sync }: { readonly config: Config; readonly sync: SyncConfig },
  keys: readonly string[],
): Promise<readonly KnownRecord[]> {
  const name = { target: targetOf(config.api), sync: sync.name };
  const known = await state.knownRecords({ ...name, keys });
  return sync.send === "all" ? known.map(withoutRow) : known;
}

/** The rows that are named, or the first ones up to a limit. */
export type WhichRows = {
  readonly key?: readonly string[];
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Rows of a sync as its mapping makes records of them. A row that is named but not there is a reject of code
 * `row_gone`.
 * @throws {ConfigError} the source cannot read single rows, or too many are named.
 */
export async function mappedRows(
  source: Source,
  sync: SyncConfig,
  { key = [], limit, signal = new AbortController().signal }: WhichRows,
): Promise<AsyncIterable<RecordPage>> {
  const { stream, pii } = sync;
  const request = readRequestOf(sync, signal);
  if (key.length > pageRowsMax) throw new ConfigError(`--key takes ${pageRowsMax} names at most`);
  const source$ =
    key.length > 0
      ? namedRows(source, { ...request, names: key })
      : source.read({ ...request, pageRowsMax: Math.min(limit, pageRowsMax), limit });
  const makeReject = rejectMaker(stream, pii.rejects);
  const mapping = await loadMapping(sync);
  const lines = writeLines(source$, { mapping, stream, keepRows: pii.rejects, makeReject });
  const isWhole = key.length === 0 && readsNewestFirst(source, sync);
  return isWhole ? rejectOlder(lines, makeReject) : lines;
}

/** Whether runs reject a row, here read alone, because an earlier one has its key: its newest reject says so. */
export function wasSecond(place: string, rejects: readonly StoredReject[]): boolean {
  return rejects.find((one) => one.place === place)?.code === "duplicate_key";
}

/**
 * Whether a run would send a record now: one that is not known to be unchanged, or was accepted too long ago by the
 * clock of the store.
 */
export function wouldBeSent(
  change: Change,
  { send, resendAfterMs = Infinity }: Pick<SyncConfig, "resendAfterMs" | "send">,
  nowMs: number,
): boolean {
  if (send === "all" || change.status !== "unchanged") return true;
  return change.acceptedAt < nowMs - resendAfterMs;
}
