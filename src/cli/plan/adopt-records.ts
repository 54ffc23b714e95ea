import type { Source } from "../../../connectors/contract/connector.ts";
import { silentLog } from "../../../connectors/contract/request.ts";
import { readSpan } from "../../../connectors/read-span.ts";
import { runRangeOf } from "../../../connectors/run-range.ts";
import type { SyncConfig } from "../../config/config.ts";
import { pageRowsMax } from "../../limits.ts";
import type { CompiledMapping } from "../../mapping/compile.ts";
import { loadMapping } from "../../mapping/load.ts";
import type { RecordMapping } from "../../mapping/schema.ts";
import { fieldTextsOf, FieldHasher } from "../../pipeline/fields/field-hashes.ts";
import { blockOfLine } from "../../pipeline/fields/field-program.ts";
import { hashOf } from "../../pipeline/line-hashes.ts";
import { writeLines } from "../../pipeline/lines.ts";
import { lineOf, type RecordPage, type RowPage } from "../../pipeline/page.ts";
import { rejectMaker } from "../../pipeline/rejects.ts";
import { changeOf } from "../../pipeline/what-changed.ts";
import type { Stream } from "../../records/streams.ts";
import { noCheckpoint } from "../../state/contract/runs/checkpoints.ts";
import type { StateStore } from "../../state/state-store.ts";

/** What is adopted, and for which sync. */
export type Adopting = {
  readonly sync: SyncConfig;
  readonly source: Source;
  readonly target: string;
  readonly state: StateStore;
  /** The number of the adoption. */
  readonly adoption: number;
  /** Paths of the fields whose changes the service need not get. */
  readonly fields: ReadonlySet<string>;
  /** The mappings that may have made what the service holds, the last one first. */
  readonly before: readonly RecordMapping[];
  readonly signal: AbortSignal;
};

/** Counts of the records that now differ from what an older mapping makes of their rows, by what became of them. */
export type Adopted = {
  readonly adopted: number;
  /** Those that a run still sends. Records that were adopted before are not among them. */
  readonly left: number;
};

/** Maps one page after the other. */
type MapPage = (page: RowPage) => Promise<RecordPage | undefined>;

function createMapPage(mapping: CompiledMapping, { stream, pii }: SyncConfig): MapPage {
  let next: RowPage | undefined;
  const pages = (async function* () {
    for (;;) {
      const page = await Promise.resolve(next);
      if (page === undefined) return;
      yield page;
    }
  })();
  const makeReject = rejectMaker(stream, pii.rejects);
  const lines = writeLines(pages, { mapping, stream, keepRows: "drop", makeReject });
  return async (page) => {
    next = page;
    const mapped = await lines.next();
    return mapped.done === true ? undefined : mapped.value;
  };
}

/** A record as it was made before, and as it is made now. */
type Pair = { readonly key: string; readonly before: Buffer; readonly after: Buffer };

/** The records of a page that both mappings make under the same key, but differently; only the first of each key. */
function differing(now: RecordPage, before: RecordPage): readonly Pair[] {
  const old = new Map(before.candidates.map((candidate) => [candidate.index, candidate]));
  const pairs = new Map<string, Pair>();
  for (const candidate of now.candidates) {
    const { key, index } = candidate;
    const was = old.get(index);
    if (was?.key !== key || pairs.has(key)) continue;
    const pair = { key, before: lineOf(before, was), after: lineOf(now, candidate) };
    if (!pair.before.equals(pair.after)) pairs.set(key, pair);
  }
  return [...pairs.values()];
}

/** Whether a record differs, to the byte, in no other fields than these. */
function differsOnlyIn(fields: ReadonlySet<string>, stream: Stream, pair: Pair): boolean {
  const [before, after] = [fieldTextsOf(pair.before, stream), fieldTextsOf(pair.after, stream)];
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].every((path) => fields.has(path) || before.get(path) === after.get(path));
}

function hashesOfLines(lines: readonly Buffer[]): Uint8Array {
  return Buffer.concat(lines.map(hashOf));
}

/** Adopts those records of a page for which an older mapping made what the service is known to hold. */
async function adoptPage(
  { sync: { name, stream }, target, state, adoption, fields }: Adopting,
  hasher: FieldHasher,
  pairs: readonly Pair[],
): Promise<number> {
  const alike = pairs.filter((pair) => differsOnlyIn(fields, stream, pair));
  if (alike.length === 0) return 0;
  const after = alike.map((pair) => pair.after);
  return await state.adoptRecords({
    target,
    sync: name,
    adoption,
    keys: alike.map(({ key }) => key),
    before: hashesOfLines(alike.map((pair) => pair.before)),
    after: hashesOfLines(after),
    ...(await hasher.hash(after.map(blockOfLine))),
  });
}

/** How many of some records differ from what the service counts as holding. */
async function countLeft(
  { sync: { name, stream }, target, state }: Adopting,
  pairs: ReadonlyMap<string, Pair>,
): Promise<number> {
  const known = await state.knownRecords({ target, sync: name, keys: [...pairs.keys()] });
  const isLeft = [...pairs.values()].map(({ after }, at) => {
    const change = changeOf(after, stream, known[at] ?? { state: "new" });
    return change.status !== "unchanged";
  });
  return isLeft.filter(Boolean).length;
}

/**
 * Reads all of a source, and takes today's record of a row for what the service holds, if an older mapping makes of the
 * row exactly what the service is known to hold, and the two records differ only in the given fields.
 * @throws {BusyError} a run began meanwhile: records that were adopted before it stay adopted.
 */
export async function adoptAll(adopting: Adopting): Promise<Adopted> {
  const { sync, source, target, state, signal } = adopting;
  const { name, stream, connector, connectorConfig: config } = sync;
  const mapNow = createMapPage(await loadMapping(sync), sync);
  const before = await Promise.all(
    adopting.before.map(async (record) =>
      createMapPage(await loadMapping({ name, stream, record }), sync),
    ),
  );
  const hasher = new FieldHasher(
    stream,
    async (names) => await state.fieldSlots({ target, sync: name, names }),
  );
  const { to } = await runRangeOf(source, { sync, checkpoint: noCheckpoint }, signal);
  const job = { connector, config, span: { from: undefined, to }, pageRowsMax, limit: undefined };
  let [adopted, left] = [0, 0];
  for await (const page of readSpan(job, { source, signal }, silentLog)) {
    const now = await mapNow(page);
    if (now === undefined) break;
    let ofPage = 0;
    const all = new Map<string, Pair>();
    for (const mapBefore of before) {
      const old = await mapBefore(page);
      const pairs = old === undefined ? [] : differing(now, old);
      for (const pair of pairs) all.set(pair.key, pair);
      ofPage += await adoptPage(adopting, hasher, pairs);
    }
    adopted += ofPage;
    if (ofPage < all.size) left += await countLeft(adopting, all);
    now.release?.();
  }
  return { adopted, left };
}
