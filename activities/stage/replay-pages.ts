import type { Row, Got, Source } from "../../connectors/contract/connector.ts";
import type { Log } from "../../connectors/contract/request.ts";
import { cannotReplay, replacesOlder } from "../../connectors/replayable.ts";
import { ConfigError, SourceChangedError } from "../../src/errors.ts";
import { pageRowsMax } from "../../src/limits.ts";
import type { RowPage } from "../../src/pipeline/page.ts";
import type { Stream } from "../../src/records/streams.ts";
import type { ReplayPage } from "../../src/state/contract/rejects/replays.ts";
import type { StateClient } from "../../src/state/state-store.ts";

/** The rejects to read again: those after number `after` on a run's list. */
type ReplayRead = {
  readonly runId: string;
  readonly sync: string;
  readonly stream: Stream;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly after: number;
};

type ReplayTools = {
  readonly source: Source;
  readonly state: Pick<StateClient, "replayPage">;
  readonly signal: AbortSignal;
  readonly log: Log;
};

async function getRows(
  { sync, config }: ReplayRead,
  listed: ReplayPage,
  { source, signal, log }: ReplayTools,
): Promise<Got<Row>> {
  const what = { sync, source, config };
  if (source.get === undefined) throw cannotReplay(`${source.name} cannot read single rows`, what);
  const schema = source.position.nullable();
  const [from, to] = [schema.safeParse(listed.from), schema.safeParse(listed.to)];
  if (!from.success || !to.success) {
    throw cannotReplay("the source was read in another way then", what);
  }
  const names = [...new Set(listed.places)];
  const span = { from: from.data ?? undefined, to: to.data ?? undefined };
  try {
    return await source.get({ config, signal, log, ...span, names });
  } catch (error) {
    // Waiting for a file, or staging again, would not bring back the one that the rejects were read from.
    const isAway = error instanceof ConfigError && error.retryBudgetMs !== undefined;
    if (!isAway && !(error instanceof SourceChangedError)) throw error;
    const hint = isAway
      ? `${error.hint ?? ""} Put that right, and replay again.`.trimStart()
      : error.hint;
    throw cannotReplay(error.message, what, { cause: error, hint });
  }
}

/**
 * The rows in the order of the list, in which a later row of a key must win. Missing rows become rejects.
 * @throws {ConfigError} the source gave them names that are not on the list.
 */
function pageOf(
  what: ReplayRead & Pick<ReplayTools, "source">,
  listed: ReplayPage,
  got: Got<Row>,
): RowPage {
  const { places, last, ages } = listed;
  const numbers = new Map(places.map((place, number) => [place, number]));
  const numberOf = (where: string): number => {
    const number = numbers.get(where);
    if (number !== undefined) return number;
    throw cannotReplay("the source names its rows in another way now", what);
  };
  const found = got.rows
    .map((row, at) => ({ row, at, where: got.where(at) }))
    .map((one) => ({ ...one, number: numberOf(one.where) }))
    .toSorted((a, b) => a.number - b.number);
  const { text } = got;
  const gone = got.missing.map((where) => ({
    where,
    code: "row_gone",
    reason: "the row is not there any more",
  }));
  const rejects = [...(got.rejects ?? []), ...gone]
    .map((reject) => ({ ...reject, number: numberOf(reject.where) }))
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, ...reject }) => {
      const next = found.findIndex((row) => row.number > number);
      return { ...reject, rowsBefore: next === -1 ? found.length : next };
    });
  return {
    rows: found.map(({ row }) => row),
    where: (index) => found[index]?.where ?? "",
    text: text === undefined ? undefined : (index): string => text(found[index]?.at ?? 0),
    rejects,
    heapBytes: got.heapBytes,
    position: last,
    age: replacesOlder(what.stream)
      ? (index): number => ages[found[index]?.number ?? 0] ?? 0
      : undefined,
  };
}

/**
 * Reads rejected rows again, page by page, by the places that their rejects name. A page's position is the number of
 * its last reject.
 * @throws {ConfigError} the rows can no longer be found in the source.
 */
export async function* readReplay(what: ReplayRead, tools: ReplayTools): AsyncGenerator<RowPage> {
  const { runId } = what;
  let { after } = what;
  // Whoever posts decides how large an event is: two of the largest may not fit into memory.
  const limit = tools.source.push === undefined ? pageRowsMax : 1;
  for (;;) {
    const listed = await tools.state.replayPage({ runId, after, limit });
    if (listed === undefined) return;
    const got = await getRows(what, listed, tools);
    tools.signal.throwIfAborted();
    yield pageOf({ ...what, source: tools.source }, listed, got);
    after = listed.last;
  }
}
