import { inTime } from "../../src/clock.ts";
import { ConfigError, RetryLater } from "../../src/errors.ts";
import { sqlStateOf } from "../../src/postgres/errors.ts";
import type { Page, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { failureAt, Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { aheadBytesMax, aheadMsMax, blockRowsMax, timeoutsMax } from "./limits.ts";
import { endOfRead, isInOverlap, type PostgresPosition } from "./position.ts";
import { cellMaker } from "./rows/page-cells.ts";
import type { RawRows, Text } from "./rows/raw-rows.ts";
import {
  assertNoNull,
  describeSource,
  isAltered,
  isZoneGuessed,
  type PostgresSource,
  type SourceColumn,
} from "./source.ts";
import type { PostgresRow } from "./sql/row.ts";
import { equalNeighbours, selectRows } from "./sql/statement.ts";

type ReadRequest = ConnectorRequest<PostgresConfig> &
  Span<PostgresPosition> & {
    readonly pageRowsMax: number;
    readonly limit?: number | undefined;
  };

type PostgresPage = Page<PostgresRow, PostgresPosition>;

/**
 * Yields the rows of a span in the order of (change column, key). They come in blocks, each by one statement that ends
 * before its first page is yielded. No statement waits for the consumer of a page, so that no transaction is open for
 * longer than the server takes; from a quick server, the next block is read meanwhile.
 */
export async function* readPostgres(request: ReadRequest): AsyncGenerator<PostgresPage> {
  const session = await speaking(request, async () => await Session.open(request));
  try {
    const source = await speaking(request, async () => {
      const described = await describeSource(session, request.config);
      await assertNoNull(session, described);
      return described;
    });
    const blocks = new Blocks(session, source, request.to);
    try {
      yield* pagesOf(request, source, blocks);
    } finally {
      await blocks.end();
    }
  } finally {
    await session.close();
  }
}

async function* pagesOf(
  request: ReadRequest,
  source: PostgresSource,
  blocks: Blocks,
): AsyncGenerator<PostgresPage> {
  const makeCells = cellMaker(source.columns);
  let { from } = request;
  for (let left = request.limit ?? Infinity; left > 0;) {
    const block = await speaking(request, async () => await blocks.next(from, left));
    const { rows, count, isLast } = block;
    left -= count;
    if (!isLast && left > 0) {
      blocks.readAhead(block, positionOf(source, valuesOf(rows, count - 1), request.to), left);
    }
    let pagesLeft = Math.ceil(count / request.pageRowsMax);
    for (let start = 0; start < count; start += request.pageRowsMax) {
      const end = Math.min(count, start + request.pageRowsMax);
      const made = makeCells({ rows, from: start, to: end });
      const release = (): void => {
        made.release?.();
        pagesLeft -= 1;
        if (pagesLeft === 0) rows.release();
      };
      const cells = { ...made, release };
      const position = positionOf(source, valuesOf(rows, end - 1), request.to);
      from = position;
      yield {
        get rows() {
          return Array.from({ length: cells.count }, (_, index) => cells.row(index));
        },
        cells,
        position,
        mayComeAgain: isZoneGuessed(source) || isInOverlap(position, request.to, source.overlap),
        where: (index) => placeOf(source, valuesOf(rows, start + index)),
      };
    }
    if (isLast) {
      const position = endOfRead({
        from,
        to: request.to,
        overlap: source.overlap,
        isZoneGiven: !isZoneGuessed(source),
      });
      if (position !== undefined) yield { rows: [], position, where: () => source.place };
      return;
    }
  }
}

/** The value of a row by the index of its column. */
type ValueOf = (index: number) => Text;

function valuesOf(rows: RawRows, row: number): ValueOf {
  return (index) => rows.text(row, index);
}

/** The place of a row, as a person and `get` find it: `crm.companies:42`. */
export function placeOf(source: PostgresSource, valueOf: ValueOf): string {
  const texts = keyIn(source, valueOf);
  const isOne = texts.length === 1;
  // With several columns, the commas of each text are distinguished from those between the texts.
  const shown = isOne ? texts : texts.map((text) => text.replaceAll(/[\\,]/g, "\\$&"));
  return `${source.place}:${shown.join(",")}`;
}

/** The position after a row, with the server's clock and the table from the end of the read. */
function positionOf(
  source: PostgresSource,
  valueOf: ValueOf,
  to: PostgresPosition | undefined,
): PostgresPosition {
  const { reading: of, changed } = source;
  const key = keyIn(source, valueOf);
  if (changed === undefined) return { key };
  const clock = to !== undefined && "clock" in to ? { clock: to.clock } : {};
  const table = to !== undefined && "table" in to ? { table: to.table } : {};
  return { of, changed: textAt(valueOf, changed), key, ...clock, ...table };
}

function keyIn({ key }: PostgresSource, valueOf: ValueOf): readonly string[] {
  return key.map((column) => textAt(valueOf, column));
}

/** A value of the order, which is never null. */
function textAt(valueOf: ValueOf, { index }: SourceColumn): string {
  return valueOf(index) ?? "";
}

/** Does work that speaks with the server; its errors say what happens next. */
async function speaking<Result>(
  request: Pick<ReadRequest, "config" | "signal">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    request.signal.throwIfAborted();
    throw failureAt(request, error);
  }
}

/** The result of one statement: the first `count` of its rows. */
type Block = {
  readonly rows: RawRows;
  readonly count: number;
  readonly isLast: boolean;
  /** How long it took. */
  readonly ms: number;
};

/** Reads a span block by block, and with fewer rows each after one that took too long. */
class Blocks {
  readonly #session: Session;
  readonly #source: PostgresSource;
  readonly #to: PostgresPosition | undefined;
  #rowsMax = blockRowsMax;
  #ahead: Promise<Block> | undefined;

  constructor(session: Session, source: PostgresSource, to: PostgresPosition | undefined) {
    this.#session = session;
    this.#source = source;
    this.#to = to;
  }

  /** The next block; the one that is read ahead, where there is one. */
  async next(from: PostgresPosition | undefined, wanted: number): Promise<Block> {
    const ahead = this.#ahead ?? this.#next(from, wanted);
    this.#ahead = undefined;
    return await ahead;
  }

  /** Begins to read the block after this one, unless this one was slow or large. */
  readAhead({ ms, rows }: Block, from: PostgresPosition, wanted: number): void {
    if (ms > aheadMsMax || rows.length > aheadBytesMax) return;
    this.#ahead = this.#next(from, wanted);
    // A failure is thrown when the block is asked for.
    this.#ahead.catch(() => undefined);
  }

  /** Waits a moment for a statement whose rows nobody wants: hanging up in the middle of it fills the server's log. */
  async end(): Promise<void> {
    if (this.#ahead === undefined) return;
    await inTime(this.#ahead, 2 * aheadMsMax).catch(() => undefined);
  }

  async #next(from: PostgresPosition | undefined, wanted: number): Promise<Block> {
    for (let timeouts = 1; ; timeouts += 1) {
      try {
        return await this.#read(from, wanted);
      } catch (error) {
        const state = sqlStateOf(error) ?? "";
        // The state says that a name or a type is missing, which was there when the source was described.
        if (state.startsWith("42") && (await isAltered(this.#session, this.#source)))
          throw altered(this.#source);
        if (state !== "57014" || timeouts === timeoutsMax) throw error;
        this.#rowsMax = Math.ceil(this.#rowsMax / 2);
      }
    }
  }

  async #read(from: PostgresPosition | undefined, wanted: number): Promise<Block> {
    const rowsMax = Math.min(wanted, this.#rowsMax);
    // One row more, which is read again: it shows that the last row is not equal to the next one.
    const statement = selectRows(this.#source, { from, to: this.#to }, rowsMax + 1);
    const startedMs = performance.now();
    const { rows, isWhole, oids } = await this.#session.block(statement);
    // Their texts would be read as values of the earlier types.
    if (this.#source.columns.some(({ oid }, at) => oid !== oids[at])) throw altered(this.#source);
    await assertDistinct(this.#session, this.#source, rows);
    const isLast = isWhole && rows.count <= rowsMax;
    const ms = performance.now() - startedMs;
    return { rows, count: isLast ? rows.count : rows.count - 1, isLast, ms };
  }
}

/**
 * @throws {ConfigError} two neighbours have one position: the second might be skipped where a page ends between them;
 * or a row is after all rows that may come.
 */
async function assertDistinct(
  session: Session,
  source: PostgresSource,
  rows: RawRows,
): Promise<void> {
  const { key, changed, collations, mayHoldNull, order } = source;
  // The key first, because neighbours differ in it.
  const indices = (changed === undefined ? key : [...key, changed]).map(({ index }) => index);
  for (let row = 1; row < rows.count; row += 1) {
    if (rows.areEqual(row - 1, row, indices)) throw noKey(source);
  }
  // In a table, an index ensures it.
  const isTold = order.every(
    ({ name, type }) => writtenInOneWay.has(type) && !collations.has(name),
  );
  if (mayHoldNull && !isTold) {
    const { sql, values } = equalNeighbours(source, rows);
    if ((await session.rows(sql, values)).length > 0) throw noKey(source);
  }
  const isNumber = changed?.kind === "number" && rows.count > 0;
  const last = isNumber ? rows.text(rows.count - 1, changed.index) : undefined;
  if (last !== "NaN" && last !== "Infinity") return;
  throw new ConfigError(`a row's ${changed?.name} is ${last}, and no row could come after it`, {
    field: "changed_by.column",
    hint: "Give that row a number, or leave such rows out: query: select ….",
  });
}

/** Types whose equal values have one text, so that comparing texts is enough; `1.0` and `1` are one number. */
const writtenInOneWay = new Set([
  "smallint",
  "integer",
  "bigint",
  "text",
  "character varying",
  "uuid",
  "date",
  "timestamp without time zone",
  "timestamp with time zone",
]);

function altered({ place }: PostgresSource): RetryLater {
  return new RetryLater(`columns of ${place} were altered while they were read`, {
    hint: "The rows that were read are read again, as they are now.",
  });
}

function noKey({ key }: PostgresSource): ConfigError {
  const names = key.map(({ name }) => name).join(", ");
  return new ConfigError(`two rows have the same ${names}: they cannot be the key`, {
    field: "key",
    hint: "Name the columns that are unique together: key: [id, line].",
  });
}
