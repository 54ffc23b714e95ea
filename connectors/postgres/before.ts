import { ConfigError } from "../../src/errors.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { withSession } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import type { PostgresPosition } from "./position.ts";
import { describeSource, type PostgresSource, type SourceColumn } from "./source.ts";
import { shownColumns } from "./sql/identifier.ts";

/** Bits of the types of whole numbers. */
const integerBits: ReadonlyMap<string, number> = new Map([
  ["smallint", 16],
  ["integer", 32],
  ["bigint", 64],
]);

/**
 * The position before all rows with a given number or a larger one: in the change column, or, without one, in a key of
 * one column of whole numbers. Other keys have no such position: a position covers the row of its key, and only a whole
 * number has a nearest one below it.
 */
export async function beforePostgres(
  request: ConnectorRequest<PostgresConfig> & { readonly place: string },
): Promise<PostgresPosition> {
  const place = request.place.trim();
  return await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    const { changed, reading: of } = source;
    if (changed === undefined) return { key: [textBelow(place, keyOfNumbers(source))] };
    if (changed.kind === "time") {
      throw new ConfigError(`${changed.name} holds times, so a place in it is a time`, {
        hint: "Give a time: 2026-10-23, 2026-10-23T08:30:00Z.",
      });
    }
    return { of, changed: textOf(place, changed) };
  });
}

/** @throws {ConfigError} no position is exactly before a value of the key. */
function keyOfNumbers({ key }: PostgresSource): SourceColumn {
  const [column] = key;
  if (column !== undefined && key.length === 1 && integerBits.has(column.type)) return column;
  const what =
    column === undefined || key.length > 1
      ? `the key has ${key.length} columns (${shownColumns(key.map(({ name }) => name))})`
      : `the key ${column.name} is ${column.type}`;
  throw new ConfigError(`${what}, and a place is one whole number`, {
    hint: "Set changed_by and give a time, name the rows by their keys, or leave from and to away to read all of it.",
  });
}

/** The number as the column holds it. @throws {ConfigError} it cannot hold that number. */
function textOf(place: string, column: SourceColumn): string {
  if (integerBits.has(column.type)) return String(wholeNumber(place, column));
  if (/^-?\d{1,1000}(?:\.\d{1,1000})?$/.test(place)) return place;
  throw new ConfigError(
    `the place is not a number, as ${column.name} (${column.type}) holds them`,
    {
      hint: "Give a number: 48211.5.",
    },
  );
}

/**
 * The number just below the place: rows up to it come before the place. @throws {ConfigError} the column cannot hold
 * that number.
 */
function textBelow(place: string, column: SourceColumn): string {
  const number = wholeNumber(place, column) - 1n;
  if (isIn(number, column)) return String(number);
  throw new ConfigError(`nothing comes before the smallest ${column.type}`, {
    hint: "Leave it away to begin with the first row.",
  });
}

function wholeNumber(place: string, column: SourceColumn): bigint {
  // The length is bounded first, because BigInt takes quadratic time.
  const number = /^-?\d{1,20}$/.test(place) ? BigInt(place) : undefined;
  if (number !== undefined && isIn(number, column)) return number;
  throw new ConfigError(
    `the place is not a whole number that ${column.name} (${column.type}) can hold`,
    { hint: "Give a whole number: 48211." },
  );
}

function isIn(number: bigint, { type }: SourceColumn): boolean {
  const bits = integerBits.get(type);
  return bits !== undefined && BigInt.asIntN(bits, number) === number;
}
