import { ConfigError } from "../../src/errors.ts";
import type { Page, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { failureAt, Session, type Text } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { blockRowsMax, timeoutsMax } from "./limits.ts";
import { endOfRead, isInOverlap, type PostgresPosition } from "./position.ts";
import {
  assertNoNull,
  describeSource,
  isZoneGuessed,
  type PostgresSource,
  type SourceColumn,
} from "./source.ts";
import { sqlStateOf } from "./sql/errors.ts";
import { rowMaker, type PostgresRow } from "./sql/row.ts";
import { equalNeighbours, selectRows } from "./sql/statement.ts";

type ReadRequest = ConnectorRequest<PostgresConfig> &
  Span<PostgresPosition> & {
    readonly pageRowsMax: number;
    readonly limit?: number | undefined;
  };

type PostgresPage = Page<PostgresRow, PostgresPosition>;

/**
 * Yields the rows of a span in the order of (change column, key). They come in blocks, each by one statement
 * that is over before its first page is yielded: no transaction is open while somebody works on a page.
 */
export async function* readPostgres(ask: ReadRequest): AsyncGenerator<PostgresPage> {
  const session = await speaking(ask, async () => await Session.open(ask));
  try {
    const source = await speaking(ask, async () => {
      const described = await describeSource(session, ask.config);
      await assertNoNull(session, described);
      return described;
    });
    const blocks = new Blocks(session, source, ask.to);
    const makeRow = rowMaker(source.columns);
    let { from } = ask;
    for (let left = ask.limit ?? Infinity; left > 0;) {
      const { rows, isLast } = await speaking(ask, async () => await blocks.next(from, left));
      for (let start = 0; start < rows.length; start += ask.pageRowsMax) {
        const ofPage = rows.slice(start, start + ask.pageRowsMax);
        const position = positionOf(source, ofPage.at(-1) ?? [], ask.to);
        from = position;
        yield {
          rows: ofPage.map(makeRow),
          position,
          mayComeAgain: isZoneGuessed(source) || isInOverlap(position, ask.to, source.overlap),
          where: (index) => placeOf(source, ofPage[index] ?? []),
        };
      }
      if (isLast) {
        const position = endOfRead({
          from,
          to: ask.to,
          overlap: source.overlap,
          isZoneGiven: !isZoneGuessed(source),
        });
        if (position !== undefined) yield { rows: [], position, where: () => source.place };
        return;
      }
      left -= rows.length;
    }
  } finally {
    await session.close();
  }
}

/** The place of a row, as a person and `get` find it: `crm.companies:42`. */
export function placeOf(source: PostgresSource, values: readonly Text[]): string {
  const texts = keyIn(source, values);
  const isOne = texts.length === 1;
  // Of several columns each text keeps its commas apart from those between them.
  const shown = isOne ? texts : texts.map((text) => text.replaceAll(/[\\,]/g, "\\$&"));
  return `${source.place}:${shown.join(",")}`;
}

/** Behind a row; with what the end of the read knows of the server's clock. */
function positionOf(
  source: PostgresSource,
  values: readonly Text[],
  to: PostgresPosition | undefined,
): PostgresPosition {
  const { reading: of, changed } = source;
  const key = keyIn(source, values);
  if (changed === undefined) return { key };
  const clock = to !== undefined && "clock" in to ? { clock: to.clock } : {};
  return { of, changed: textAt(values, changed), key, ...clock };
}

function keyIn({ key }: PostgresSource, values: readonly Text[]): readonly string[] {
  return key.map((column) => textAt(values, column));
}

/** A value of the order, which is never null. */
function textAt(values: readonly Text[], { index }: SourceColumn): string {
  return values[index] ?? "";
}

/** Does what speaks with the server; what it throws says what happens next. */
async function speaking<Result>(
  ask: Pick<ReadRequest, "config" | "signal">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    ask.signal.throwIfAborted();
    throw failureAt(ask, error);
  }
}

/** What one statement brought. */
type Block = { readonly rows: readonly Text[][]; readonly isLast: boolean };

/** Reads a span block by block, and fewer rows with each after one that took too long. */
class Blocks {
  readonly #session: Session;
  readonly #source: PostgresSource;
  readonly #to: PostgresPosition | undefined;
  #rowsMax = blockRowsMax;

  constructor(session: Session, source: PostgresSource, to: PostgresPosition | undefined) {
    this.#session = session;
    this.#source = source;
    this.#to = to;
  }

  async next(from: PostgresPosition | undefined, wanted: number): Promise<Block> {
    for (let timeouts = 1; ; timeouts += 1) {
      try {
        return await this.#read(from, wanted);
      } catch (error) {
        if (sqlStateOf(error) !== "57014" || timeouts === timeoutsMax) throw error;
        this.#rowsMax = Math.ceil(this.#rowsMax / 2);
      }
    }
  }

  async #read(from: PostgresPosition | undefined, wanted: number): Promise<Block> {
    const rowsMax = Math.min(wanted, this.#rowsMax);
    // One row more, which is read again: it shows that the last row is not equal to the next one.
    const statement = selectRows(this.#source, { from, to: this.#to }, rowsMax + 1);
    const { rows, isWhole } = await this.#session.block(statement);
    await assertDistinct(this.#session, this.#source, rows);
    const isLast = isWhole && rows.length <= rowsMax;
    return { rows: isLast ? rows : rows.slice(0, -1), isLast };
  }
}

/**
 * @throws {ConfigError} two neighbours have one position: the second might be passed over where a page ends
 * between them; or one stands after all that may come.
 */
async function assertDistinct(
  session: Session,
  source: PostgresSource,
  rows: readonly Text[][],
): Promise<void> {
  const { order, changed, mayHoldNull } = source;
  const indices = order.map(({ index }) => index);
  for (let at = 1; at < rows.length; at += 1) {
    const [row, previous] = [rows[at], rows[at - 1]];
    if (indices.every((index) => row?.[index] === previous?.[index])) throw noKey(source);
  }
  // In a table an index sees to it.
  if (mayHoldNull && order.some(({ type }) => !writtenInOneWay.has(type))) {
    const { sql, values } = equalNeighbours(source, rows);
    if ((await session.rows(sql, values)).length > 0) throw noKey(source);
  }
  const last = changed?.kind === "number" ? rows.at(-1)?.[changed.index] : undefined;
  if (last !== "NaN" && last !== "Infinity") return;
  throw new ConfigError(`a row's ${changed?.name} is ${last}, and no row could come after it`, {
    field: "changed_by.column",
    hint: "Give that row a number, or leave such rows out: query: select ….",
  });
}

/** Types of which equal values have one text: `1.0` and `1` are one number, and no others are neighbours unseen. */
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

function noKey({ key }: PostgresSource): ConfigError {
  const names = key.map(({ name }) => name).join(", ");
  return new ConfigError(`two rows have the same ${names}: they are no key`, {
    field: "key",
    hint: "Name the columns that are unique together: key: [id, line].",
  });
}
