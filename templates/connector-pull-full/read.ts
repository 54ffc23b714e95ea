import type { Pull, Row, Span } from "sluice/connector";

import type { Config, Position } from "./config.ts";
import { quoted, withDatabase } from "./database.ts";
import { pageOf, positionOf, type Found } from "./row.ts";

/** Everything that can be done with the source; the other files implement its members. */
export type Abilities = Pull<Config, Position, Row>;

/** Yields the rows between `from` (exclusive) and `to` (inclusive), in pages, in the order of their positions. */
export const read: Abilities["read"] = async function* read(request) {
  const { config, to, pageRowsMax, limit = Infinity, signal } = request;
  let { from } = request;
  let left = limit;
  while (left > 0) {
    signal.throwIfAborted();
    // Yours to change: the next rows after `from`, in an order that never changes.
    const found = select(config, { from, to }, Math.min(pageRowsMax, left));
    const last = found.at(-1);
    if (last === undefined) return;
    left -= found.length;
    from = positionOf(last);
    // The position covers exactly the rows so far: a run that is stopped here continues there.
    yield { ...pageOf(config, found), position: from };
  }
};

/** The first rows of a span. */
function select(config: Config, span: Span<Position>, max: number): readonly Found[] {
  const { sql, values } = within(span);
  return withDatabase(config, (database) => {
    const from = quoted(config.table);
    const statement = database.prepare(
      `select * from ${from} where ${sql} order by changed, id limit ?`,
    );
    // A JavaScript number has no room for every integer of SQLite.
    statement.setReadBigInts(true);
    return statement.all(...values, max);
  });
}

/** The condition of a span. Rows without a time or an id have no place in the order: `check` reports them. */
export function within({ from, to }: Span<Position>): {
  readonly sql: string;
  readonly values: readonly string[];
} {
  const after = from === undefined ? "" : " and (changed, id) > (?, ?)";
  const until = to === undefined ? "" : " and (changed, id) <= (?, ?)";
  return {
    sql: `changed is not null and id is not null${after}${until}`,
    values: [from, to].flatMap((edge) => (edge === undefined ? [] : [edge.changed, edge.id])),
  };
}
