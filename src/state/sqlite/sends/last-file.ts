import { z } from "zod";

import { type LastFileStore } from "../../contract/sends/last-file.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";

const fileRow = z.object({ at: z.string().nullable() });

/** When files left, of a SQLite store. */
export function createLastFileStore(db: Database): LastFileStore {
  const select = db.prepare(
    `select max(updated_at) as at from receipts where form = 'file' and state in ('accepted', 'committed')
      and run_id in (
       select run_id from runs where target = $target and sync in (select value from json_each($syncs))
         and (ended_at is null or ended_at >= $since))`,
  );
  return {
    lastFileAt: ({ syncs, ...input }) => {
      const { at = null } =
        first(fileRow, select, { ...input, syncs: JSON.stringify(syncs) }) ?? {};
      return at === null ? null : Date.parse(at);
    },
  };
}
