import { z } from "zod";

import { quoteName } from "../../src/postgres/names.ts";
import type { Measure, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { type Session, textIn, type TextRow, withSession } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { countedRowsMax } from "./limits.ts";
import { isNamed, type PostgresPosition } from "./position.ts";
import { presentSql } from "./read-limit.ts";
import { describeSource, type PostgresSource } from "./source.ts";
import { conditionOf, orderOf } from "./sql/statement.ts";

const plan = z.tuple([z.object({ Plan: z.object({ "Plan Rows": z.number() }) })]);

/** The rows of a span: counted up to `countedRowsMax`, beyond that, the planner's estimate. */
export async function measurePostgres(
  request: ConnectorRequest<PostgresConfig> & Span<PostgresPosition>,
): Promise<Measure> {
  return await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    const { where, values } = conditionOf(source, request);
    const rows = `select 1 from ${source.from}${where}`;
    const limited = `${rows} limit ${countedRowsMax + 1}`;
    const [counted] = await session.query(`select count(*) from (${limited}) as counted`, values);
    const count = Number(counted?.["count"]);
    if (count <= countedRowsMax) return { rows: count, exact: true };
    const [explained] = await session.query(`explain (format json) ${rows}`, values);
    const [estimate] = plan.parse(JSON.parse(textIn(explained, "QUERY PLAN")));
    return { rows: Math.max(estimate.Plan["Plan Rows"], count), exact: false };
  });
}

/**
 * Cuts a span into at most `parts` neighbours of equally many rows each, give or take one; fewer where there are fewer
 * rows. Each edge is looked for from the one before: with an index, that takes a third of the time of numbering all
 * rows. A span whose end is still to come is not cut: a row that changes meanwhile would go from one part to the last,
 * and its older value might be sent after the newer one.
 */
export async function splitPostgres(
  request: ConnectorRequest<PostgresConfig> & Span<PostgresPosition> & { readonly parts: number },
): Promise<readonly Span<PostgresPosition>[]> {
  const edges = await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    const { where, values } = conditionOf(source, request);
    if (await isToCome(session, source, request.to)) return [];
    const all = `select count(*) from ${source.from}${where}`;
    const [counted] = await session.query(all, values);
    return await edgesOf(session, source, { ...request, rows: Number(counted?.["count"]) });
  });
  // The last part ends where the span does, because more rows may have come.
  return [...edges, request.to].map((to, index) => ({
    from: index === 0 ? request.from : edges[index - 1],
    to,
  }));
}

/**
 * Whether rows that change from now on may come before an end that a person named: a time ahead of the server's
 * present, or a number above every value. The end of a part, and the present itself, are past.
 */
async function isToCome(
  session: Session,
  { changed, from }: PostgresSource,
  to: PostgresPosition | undefined,
): Promise<boolean> {
  if (changed === undefined || to === undefined || !("changed" in to) || !isNamed(to)) return false;
  const sql =
    changed.kind === "time"
      ? `select where $1::timestamptz > ${presentSql}`
      : `select where not exists (select from ${from} where ${quoteName(changed.name)} >= $1::${changed.type})`;
  return (await session.query(sql, [to.changed])).length > 0;
}

/** The last row of each part but the last; fewer where rows were removed meanwhile. */
async function edgesOf(
  session: Session,
  source: PostgresSource,
  of: Span<PostgresPosition> & { readonly rows: number; readonly parts: number },
): Promise<readonly PostgresPosition[]> {
  const { from, to, rows } = of;
  const parts = Math.min(of.parts, rows);
  const edges: PostgresPosition[] = [];
  // The change column may be one of the key's.
  const columns = [...new Set(source.order.map(({ name }) => quoteName(name)))].join(", ");
  for (let part = 1; part < parts; part += 1) {
    const { where, values } = conditionOf(source, { from: edges.at(-1) ?? from, to });
    const size = Math.floor(rows / parts) + (part <= rows % parts ? 1 : 0);
    const [row] = await session.query(
      `select ${columns} from ${source.from}${where} order by ${orderOf(source)} offset ${size - 1} limit 1`,
      values,
    );
    if (row === undefined) break;
    edges.push(positionOfRow(source, row));
  }
  return edges;
}

function positionOfRow(
  { key, changed, reading: of }: PostgresSource,
  row: TextRow,
): PostgresPosition {
  const texts = key.map(({ name }) => textIn(row, name));
  if (changed === undefined) return { key: texts };
  return { of, changed: textIn(row, changed.name), key: texts };
}
