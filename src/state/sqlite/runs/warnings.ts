import { z } from "zod";

import { runWarningsMax } from "../../../limits.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";

/** Warnings of a run. */
export type NewWarnings = {
  readonly runId: string;
  readonly warnings: readonly string[];
  /** What they tell of, where one run alone of the store is to tell it. */
  readonly once?: string | undefined;
};

const warningsRow = z.object({ warnings: jsonColumn.pipe(z.array(z.string())) });

/** Makes the function that adds warnings to a run. */
export function createAddWarnings(db: Database): (input: NewWarnings) => void {
  const tell = db.prepare(
    "insert into meta (name, value) values ($name, $runId) on conflict do nothing",
  );
  const select = db.prepare("select warnings from runs where run_id = $runId");
  const update = db.prepare("update runs set warnings = $warnings where run_id = $runId");
  return ({ runId, warnings, once }) =>
    db.write(() => {
      const found = first(warningsRow, select, { runId });
      if (found === undefined) throw new Error(`run ${runId} is not in the store`);
      if (once !== undefined && tell.run({ name: `told: ${once}`, runId }).changes === 0) return;
      const merged = [...new Set([...found.warnings, ...warnings])].slice(0, runWarningsMax);
      update.run({ runId, warnings: JSON.stringify(merged) });
    });
}
