import { z } from "zod";

import { runWarningsMax } from "../../../limits.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import type { RunStore } from "../../contract/runs/runs.ts";
import type { Queries } from "../state-database.ts";

const warningsOf = jsonColumn.pipe(z.array(z.string()));

/** Adds warnings to a run, as `RunStore.addWarnings`. */
export async function addWarnings(
  queries: Queries,
  { runId, warnings, once }: Parameters<RunStore["addWarnings"]>[0],
): Promise<void> {
  const found = await queries
    .selectFrom("runs")
    .select("warnings")
    .where("runId", "=", runId)
    .executeTakeFirst();
  if (found === undefined) throw new Error(`run ${runId} is not in the store`);
  if (once !== undefined && !(await isFirst(queries, once, runId))) return;
  const merged = [...new Set([...warningsOf.parse(found.warnings), ...warnings])];
  await queries
    .updateTable("runs")
    .set({ warnings: JSON.stringify(merged.slice(0, runWarningsMax)) })
    .where("runId", "=", runId)
    .execute();
}

/** Whether no run of the store has given this warning before; marks it as given. */
async function isFirst(queries: Queries, once: string, runId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto("meta")
    .values({ name: `told: ${once}`, value: runId })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}
