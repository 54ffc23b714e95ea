import { BusyError, ConfigError, StateUnavailableError } from "../../errors.ts";
import { copyIdName, movedError, movedToName, targetIdName } from "../moved.ts";
import type { StoreServer } from "../postgres/server.ts";
import { alikeTables, type OwnTable, ownTables, withStatements } from "./copied-tables.ts";
import type { CopyEnd } from "./copy-end.ts";
import { type Facts, type MoveMarks, marksOf, type OfBoth, otherCopyError } from "./marks.ts";
import { PostgresEnd } from "./postgres-end.ts";
import { SqliteEnd } from "./sqlite-end.ts";

/** The source and the target of a copy. */
export type CopyRequest = {
  readonly stateFolder: string;
  readonly server: StoreServer;
  readonly to: "postgres" | "sqlite";
};

type Ends = OfBoth<CopyEnd>;

/** The result of a copy. */
export type StoreCopied = {
  readonly from: string;
  readonly to: string;
  /** The id of the copy; undefined if it was made earlier. */
  readonly storeId: string | undefined;
  /** Rows of each table. */
  readonly tables: Readonly<Record<string, number>>;
};

/**
 * Moves a project between the store of its state folder and one in Postgres, while nothing runs. First the target says
 * that the project is still in the source, then the source says that it continues in the target. From then on, every
 * process refuses both, until the whole copy is committed under a store id of its own. An interrupted copy is made
 * again.
 * @throws {BusyError} something runs. @throws {ConfigError} the target holds another project.
 * @throws {StateUnavailableError}
 */
export async function copyStore({ stateFolder, server, to }: CopyRequest): Promise<StoreCopied> {
  await using closing = new AsyncDisposableStack();
  const postgres = await PostgresEnd.open(server);
  closing.defer(async () => await postgres.close());
  const sqlite = new SqliteEnd(stateFolder);
  closing.defer(async () => await sqlite.close());
  const tables = await tablesOf(sqlite, postgres);
  const ends =
    to === "postgres" ? { from: sqlite, into: postgres } : { from: postgres, into: sqlite };
  const { from, into } = ends;
  const names = { from: from.name, to: into.name };
  const facts = { from: await from.facts(), into: await into.facts() };
  if (await isCopied(ends, facts)) return { ...names, storeId: undefined, tables: {} };
  const marks = marksOf(ends, facts);
  let isFilled = false;
  try {
    await leave(ends, marks);
    const filled = await fill(ends, { tables, copyId: marks.copyId });
    isFilled = true;
    await into.commit();
    return { ...names, ...filled };
  } catch (error) {
    // A commit without an answer may have taken effect: the next copy finds out.
    if (!isFilled) await stay(from, marks.copyId);
    throw error;
  }
}

async function tablesOf(sqlite: SqliteEnd, postgres: PostgresEnd): Promise<readonly OwnTable[]> {
  const columns = await postgres.columns();
  const alike = alikeTables.map((table) => {
    const { name, hidden } = table;
    const types = new Map(columns.get(name)?.map((column) => [column.name, column.type]));
    const names = [...(hidden === undefined ? [] : [hidden]), ...sqlite.columnsOf(name)];
    return withStatements(
      table,
      names.map((column) => ({ name: column, type: types.get(column) ?? "unknown" })),
    );
  });
  return [...alike, ...ownTables];
}

/**
 * Whether this very copy was made earlier.
 * @throws {ConfigError} one of the two belongs to another project, or has moved elsewhere.
 */
async function isCopied(
  { from, into }: Ends,
  { from: here, into: there }: OfBoth<Facts>,
): Promise<boolean> {
  const [left, kept] = [here.get(movedToName), there.get(movedToName)];
  const isMade = there.get("copied_from") === here.get("store_id");
  // A name alone does not tell: folders of two hosts have the same path, and a lost one is made again.
  const targetId = here.get(targetIdName);
  const isTarget = targetId === undefined || targetId === there.get("store_id");
  const isOurs = left === into.name && (isTarget || (isMade && kept === undefined));
  if (left !== undefined && !isOurs) throw movedError(from.name, left);
  // `into` may name `from` by an earlier address; that `from` is its copy shows that they belong together.
  const isOfThere = here.get("copied_from") === there.get("store_id");
  // A copy marks its target with the target's own id; a store that moved away has the id of where it moved.
  const keptId = there.get(targetIdName);
  const isCutOff = kept === from.name && (keptId === undefined || keptId === there.get("store_id"));
  if (kept !== undefined && !isCutOff && !isOfThere) throw movedError(into.name, kept);
  if (kept === undefined && left !== undefined && isMade) return true;
  if (kept !== undefined || (await into.isEmpty())) return false;
  throw new ConfigError(`${into.name} holds runs, events or checkpoints of a project already`, {
    field: "store",
    hint: "name another schema, or move the state folder's state.db and inbox.db away",
  });
}

function busy({ from }: Ends, why: string): BusyError {
  return new BusyError(`${from.name} cannot be moved: ${why}`, {
    hint:
      "let runs end or cancel them, stop workers, receivers and `sluice dev`, and try again; a worker that was " +
      "killed counts for a minute",
  });
}

/** Has both ends say where the project is, so that nobody uses either. */
async function leave(ends: Ends, marks: MoveMarks): Promise<void> {
  const { from, into } = ends;
  if (!(await from.facts()).has(movedToName)) {
    const why = await from.whyBusy();
    if (why !== undefined) throw busy(ends, why);
    await from.prepare();
  }
  // The target's mark keeps another copy from filling it, and this one from a target that another one has filled.
  await into.mark(marks.into);
  // An interrupted copy may have set its mark without having waited for, or looked at, what began before it.
  await from.mark(marks.from);
  const since =
    (await from.whyBusy()) ?? ((await from.isApart()) ? "a run has ended just now" : undefined);
  if (since !== undefined) throw busy(ends, since);
}

/** Leaves the project where it was, unless another copy has taken over. */
async function stay(from: CopyEnd, copyId: string): Promise<void> {
  try {
    await from.rollBack();
    await from.unmark(copyId);
  } catch {
    // The database is unreachable, as the first error says. The copy counts as interrupted.
  }
}

/** Copies everything in a transaction of the target, which the caller commits. */
async function fill(
  { from, into }: Ends,
  { tables, copyId }: { readonly tables: readonly OwnTable[]; readonly copyId: string },
): Promise<Pick<StoreCopied, "storeId" | "tables">> {
  await from.begin("read");
  await into.begin("write");
  // From here on, the mark can be changed by nobody else.
  if ((await into.facts()).get(copyIdName) !== copyId) throw otherCopyError(into.name);
  await into.clear();
  const rows: Record<string, number> = {};
  for (const table of tables) {
    for await (const batch of from.read(table)) await into.write(table, batch);
    if (table.drawn !== undefined) await into.setDrawn(table, await from.lastDrawn(table));
    const [had, has] = [await from.count(table), await into.count(table)];
    if (had !== has) {
      throw new StateUnavailableError(`${table.name}: ${has} rows of ${had} were copied`, {
        hint: "nothing was moved, and the project continues where it was: try again, or tell its makers",
      });
    }
    rows[table.name] = has;
  }
  const storeId = await into.adopt(await from.facts());
  await from.rollBack();
  return { storeId, tables: rows };
}
