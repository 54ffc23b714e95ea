import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { lockWaitMs } from "../limits.ts";
import { movedToName } from "../moved.ts";
import { count } from "./database.ts";
import { asStateError } from "./state-fault.ts";

// Queries on a store or an inbox that must not be opened: no file is made, and none is migrated to this version.

function ask<Answer>(
  file: string,
  table: string,
  work: (db: DatabaseSync) => Answer,
): Answer | undefined {
  if (!existsSync(file)) return undefined;
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
    const isThere = db.prepare(
      "select count(*) from sqlite_master where type = 'table' and name = $table",
    );
    return count(isThere, { table }) === 0 ? undefined : work(db);
  } catch (error) {
    throw asStateError(error, file);
  }
}

/** Where the contents of a file were moved to; undefined if they were not moved, or if there is no file. */
export function movedToOf(file: string): string | undefined {
  return ask(file, "meta", (db) => {
    const found = db.prepare("select value from meta where name = ?").get(movedToName);
    return found === undefined ? undefined : String(found["value"]);
  });
}

/** Whether a table of a file has rows. */
export function holdsRows(file: string, table: "events" | "runs"): boolean {
  const some = `select count(*) from (select 1 from ${table} limit 1)`;
  return ask(file, table, (db) => count(db.prepare(some)) > 0) ?? false;
}
