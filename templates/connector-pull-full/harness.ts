import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { HarnessRow, PullHarness } from "sluice/testing";

const folder = mkdtempSync(join(tmpdir(), "connector-name-"));
const file = join(folder, "harness.db");

/** Yours to change: a source that is real and yours alone, here a new file; or a server or a database of your own. */
function withSource<Result>(work: (database: DatabaseSync) => Result): Result {
  using database = new DatabaseSync(file);
  database.exec(`
    pragma synchronous = off;
    create table if not exists rows (id text primary key not null, text text, changed text not null);
    create index if not exists in_order on rows (changed, id);
  `);
  return work(database);
}

function insert(rows: readonly HarnessRow[]): void {
  withSource((database) => {
    database.exec("begin");
    const statement = database.prepare("insert or replace into rows values (?, ?, ?)");
    for (const { id, text, changed } of rows) statement.run(id, text, changed);
    database.exec("commit");
  });
}

/** The operations that the kit may perform on the source: the more there are, the more it can show. */
export const harness: PullHarness = {
  config: { file, table: "rows" },
  fill: async (rows) => insert(rows),
  empty: async () => withSource((database) => database.exec("delete from rows")),
  // A program that stamps its row now, and writes it when others have written later ones.
  commitLate: async (row) => async () => insert([row]),
  spoil: async () =>
    withSource((database) => {
      const copy = "insert into rows select 'spoiled ' || id, x'ff00', changed from rows";
      return Number(database.prepare(`${copy} where rowid % 7 = 0`).run().changes);
    }),
  // A writer that does not end: SQLite lets nobody read meanwhile.
  stall: async () => {
    const writer = new DatabaseSync(file);
    writer.exec("begin exclusive");
    return async () => writer.close();
  },
  written: {
    key: "id",
    set: "text",
    read: async (id) => {
      const text = withSource((database) => {
        return database.prepare("select text from rows where id = ?").get(id)?.["text"];
      });
      return text === undefined || text === null ? text : String(text);
    },
  },
  close: async () => rmSync(folder, { recursive: true }),
};
