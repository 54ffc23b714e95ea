import { z } from "zod";

import { quoteName } from "../../src/postgres/names.ts";
import type { Measure, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { textIn, withSession } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { countedRowsMax } from "./limits.ts";
import type { PostgresPosition } from "./position.ts";
import { describeSource } from "./source.ts";
import { conditionOf, orderOf } from "./sql/statement.ts";

const plan = z.tuple([z.object({ Plan: z.object({ "Plan Rows": z.number() }) })]);

/** The rows of a span: counted up to `countedRowsMax`, beyond it as the planner estimates them. */
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
 * Cuts a span into at most `parts` neighbours of as many rows each, give or take one; fewer where there are
 * fewer rows.
 */
export async function splitPostgres(
  request: ConnectorRequest<PostgresConfig> & Span<PostgresPosition> & { readonly parts: number },
): Promise<readonly Span<PostgresPosition>[]> {
  const edges = await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    const { where, values } = conditionOf(source, request);
    // The change column may be one of the key.
    const columns = [...new Set(source.order.map(({ name }) => quoteName(name)))];
    const backwards = columns.map((name) => `${name} desc`).join(", ");
    // The part is called so as no column of the order is.
    const found = await session.query(
      `select distinct on ("sluice part") * from (
         select ${columns.join(", ")}, ntile(${request.parts}) over (order by ${orderOf(source)}) as "sluice part"
         from ${source.from}${where}) as parts
       order by "sluice part", ${backwards}`,
      values,
    );
    return found.map((row): PostgresPosition => {
      const key = source.key.map(({ name }) => textIn(row, name));
      const { reading: of, changed } = source;
      return changed === undefined ? { key } : { of, changed: textIn(row, changed.name), key };
    });
  });
  // The last part ends where the span does, because more rows may have come.
  const inner = edges.slice(0, -1);
  return [...inner, request.to].map((to, index) => ({
    from: index === 0 ? request.from : inner[index - 1],
    to,
  }));
}
