import { mustBe } from "./failed.ts";
import type { HarnessRow } from "./harness.ts";

/** How rows are made. */
export type RowsRequest = {
  /** Id of the first one; the others follow it. @default 1 */
  readonly firstId?: number;
  /** When the first change was. @default ten microseconds before clocks go forward in Berlin */
  readonly since?: Date;
  /** Microseconds from one change to the next; 0 lets all rows change at once. @default 1 */
  readonly stepMicros?: number;
  /** Rows that share a change, as those of one transaction do. @default 3 */
  readonly together?: number;
  /** Characters of each row's text. @default a few */
  readonly textChars?: number;
};

/** A second and an hour end within the first rows, and with them the winter time of Europe. */
const usualSince = new Date("2024-03-31T00:59:59.000Z");
const usualSinceMicros = 999_990;

/**
 * Rows whose order of changes is neither the order of their ids nor their order here, so that a source that is read in
 * another order by mistake shows it. The same request makes the same rows.
 */
export function makeRows(count: number, request: RowsRequest = {}): readonly HarnessRow[] {
  const { firstId = 1, stepMicros = 1, together = 3, textChars = 0 } = request;
  const begin =
    request.since === undefined
      ? microsOf(usualSince) + BigInt(usualSinceMicros)
      : microsOf(request.since);
  const step = BigInt(stepMicros);
  const rows = scattered(count).map((place, index) => ({
    id: String(firstId + index),
    text: textOf(firstId + index, textChars),
    changed: timeOf(begin + step * BigInt(Math.floor(place / together))),
  }));
  return scattered(count).flatMap((place) => rows[place] ?? []);
}

/** A time as the kit writes it, by its microseconds since 1970. */
export function timeOf(micros: bigint): string {
  const iso = new Date(Number(micros / 1_000n)).toISOString();
  return `${iso.slice(0, -1)}${String(micros % 1_000n).padStart(3, "0")}Z`;
}

/** Microseconds since 1970. */
export function microsOf(time: Date): bigint {
  return BigInt(time.getTime()) * 1_000n;
}

/**
 * Fails unless exactly the rows of `expected` came, each once, in any order; `when` says after what.
 * @throws {CheckFailed} with counts and ids, never with a cell
 */
export function mustBeRows(
  came: readonly HarnessRow[],
  expected: readonly HarnessRow[],
  when: string,
): void {
  // A read of nothing shows nothing.
  mustBe(expected.length > 0, `rows to compare with, ${when}`, "none");
  const difference = differenceOf(came, expected);
  const rows = expected.length === 1 ? "the one row" : `each of ${expected.length} rows`;
  mustBe(difference === "", `${rows} once ${when}`, difference);
}

/** The differences from the expected rows, in words; empty when there are none. */
function differenceOf(came: readonly HarnessRow[], expected: readonly HarnessRow[]): string {
  const times = Map.groupBy(came, ({ id }) => id);
  const wanted = new Map(expected.map((row) => [row.id, row]));
  const ids = [...wanted.keys()];
  const others = (row: HarnessRow): boolean =>
    (times.get(row.id) ?? []).some(({ text }) => text !== row.text);
  const told = [
    { what: "missing", ids: ids.filter((id) => !times.has(id)) },
    { what: "more than once", ids: ids.filter((id) => (times.get(id)?.length ?? 0) > 1) },
    { what: "with another text", ids: expected.filter(others).map(({ id }) => id) },
  ]
    .filter((group) => group.ids.length > 0)
    .map((group) => `${group.ids.length} ${group.what} (${idsOf(group.ids)})`);
  const strangers = came.filter(({ id }) => !wanted.has(id)).length;
  if (strangers > 0) told.push(`${strangers} that do not belong there`);
  return told.length === 0 ? "" : `${came.length} rows: ${told.join(", ")}`;
}

/** Some ids of the kit's own rows, for a message. */
export function idsOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(", ");
  return `${ids.length === 1 ? "id" : "ids"} ${shown}${ids.length > 3 ? ", …" : ""}`;
}

/** The numbers below `count`, each once, in an order that looks random. */
function scattered(count: number): readonly number[] {
  // A step that shares no divisor with the count meets each number once.
  let step = Math.max(1, Math.floor(count * 0.62));
  while (divisorOf(step, count) !== 1) step += 1;
  return Array.from({ length: count }, (_, index) => (index * step) % count);
}

function divisorOf(one: number, other: number): number {
  return other === 0 ? one : divisorOf(other, one % other);
}

/** Made through bytes, so that a long text is one piece of memory: a joined one would only grow when first read. */
function textOf(id: number, chars: number): string {
  return Buffer.from(`text of ${id}`.padEnd(chars, " long")).toString("latin1");
}
