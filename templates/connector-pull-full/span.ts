import type { Span } from "sluice/connector";

import type { Config, Position } from "./config.ts";
import { quoted, withDatabase } from "./database.ts";
import { within, type Abilities } from "./read.ts";
import { positionOf } from "./row.ts";

/** After every other id. */
const lastId = "\u{10ffff}";

/** The position that covers everything before a time: after the rows of the last microsecond before it. */
function before(timeMs: number): Position {
  return { changed: new Date(timeMs - 1).toISOString().replace("Z", "999Z"), id: lastId };
}

/** Where a backfill begins or ends, for a time that a person gives. */
export const at: NonNullable<Abilities["at"]> = ({ when }) => before(when.getTime());

/** Where the next run begins: some time back, because a row may be written after one that has a later time. */
export const rewind: NonNullable<Abilities["rewind"]> = ({ config, position }) => {
  const changedMs = Date.parse(position.changed);
  // A position without a time is of no use: everything is read again.
  return Number.isNaN(changedMs) ? undefined : before(changedMs - config.overlap_seconds * 1_000);
};

/** How many rows a span holds, to estimate the time left. */
export const measure: NonNullable<Abilities["measure"]> = async ({ config, from, to }) => ({
  rows: count(config, { from, to }),
  exact: true,
});

function count(config: Config, span: Span<Position>): number {
  const { sql, values } = within(span);
  return withDatabase(config, (database) => {
    const counting = `select count(*) as rows from ${quoted(config.table)} where ${sql}`;
    return Number(database.prepare(counting).get(...values)?.["rows"]);
  });
}

/**
 * Cuts a span into neighbours: the next one begins at the edge where one ends, so that no row is between them or in
 * both.
 */
export const split: NonNullable<Abilities["split"]> = async ({ config, from, to, parts }) => {
  const rows = count(config, { from, to });
  const { sql, values } = within({ from, to });
  const edges = withDatabase(config, (database) => {
    const table = quoted(config.table);
    const statement = database.prepare(
      `select changed, id from ${table} where ${sql} order by changed, id limit 1 offset ?`,
    );
    statement.setReadBigInts(true);
    const most = Math.min(parts, rows);
    return Array.from({ length: Math.max(0, most - 1) }, (_, part) => {
      const row = statement.get(...values, Math.floor((rows * (part + 1)) / most) - 1);
      return row === undefined ? [] : [positionOf(row)];
    }).flat();
  });
  const begins = [from, ...edges];
  const ends = [...edges, to];
  return begins.map((begin, part) => ({ from: begin, to: ends[part] }));
};
