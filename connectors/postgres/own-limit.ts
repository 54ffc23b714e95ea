import { z } from "zod";

import { ConfigError } from "../../src/errors.ts";
import { textIn, type Session } from "./client.ts";

/** The nodes of a plan that only pass rows on, and may be above a query's own `limit`. */
const handsOn = new Set(["Subquery Scan", "Result", "ProjectSet", "Gather", "Gather Merge"]);

const planNode = z.looseObject({
  "Node Type": z.string(),
  get Plans() {
    return z.array(planNode).optional();
  },
});

/**
 * A query runs again for each block of rows, and may give other rows then if it has a `limit` of its own.
 * @throws {ConfigError} it has one, as the planner shows, because only the planner can read SQL.
 */
export async function assertNoLimit(session: Session, query: string): Promise<void> {
  const explain = `explain (format json) select * from (${query}\n) as source`;
  const [row] = await session.query(explain);
  const plans = z.array(z.object({ Plan: planNode })).parse(JSON.parse(textIn(row, "QUERY PLAN")));
  let node = plans[0]?.Plan;
  while (node !== undefined && handsOn.has(node["Node Type"])) node = node.Plans?.[0];
  if (node?.["Node Type"] !== "Limit") return;
  throw new ConfigError(
    "the query has a limit of its own: each block of rows might be cut from others",
    {
      field: "query",
      hint:
        "Leave it out and use `--limit` of `sluice run`, or read a table or materialized view that " +
        "holds those rows.",
    },
  );
}
