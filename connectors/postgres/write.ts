import type { Patch, Written } from "../contract/connector.ts";
import { columnsOfPatches, patchFaultOf } from "../contract/patches.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { rowLockWaitMs, writeTriesMax } from "./limits.ts";
import { tableOf } from "./sql/ddl.ts";
import { refusalOf } from "./sql/write-refusal.ts";
import {
  parameterOf,
  readStatements,
  writeStatement,
  type Numbered,
} from "./sql/write-statement.ts";
import { readWriteTable, type WriteTable } from "./sql/write-table.ts";

/**
 * Writes values into the rows that their keys find, and adds those that are not there unless `insert` is false. A page
 * is one statement on one table; where the server refuses a value, halving finds the rows at fault, and only these are
 * refused.
 * @throws {ConfigError} there is no such table, column or unique key, or the role may not write it. @throws
 * {RetryLater}
 * @throws {SourceAuthError} as the connector's interface asks
 */
export async function writePostgres(
  request: ConnectorRequest<PostgresConfig> & {
    readonly patches: readonly Patch[];
    readonly beforeWrite?: (() => Promise<void>) | undefined;
  },
): Promise<readonly Written[]> {
  const { config, signal, patches, beforeWrite } = request;
  const name = tableOf(config);
  if (patches.length === 0) return [];
  const columns = columnsOfPatches(patches);
  const page = new WritePage(patches, config.insert);
  await withSession({ config, signal, isWritable: true }, async (session) => {
    // A row that another session holds does not make a statement slow, and is worth another try.
    await session.query("select set_config('lock_timeout', $1, false)", [String(rowLockWaitMs)]);
    const table = await readWriteTable(session, name, columns);
    await page.write({ session, table, beforeWrite });
  });
  return page.answers();
}

/** The patches of a page on their way into a table. */
class WritePage {
  readonly #mayInsert: boolean;
  /** The last patch of each key. Two that only the key's type makes equal (`1.0` and `1`) are left to the statement. */
  readonly #wanted = new Map<string, Numbered>();
  /** By ordinal, the key of each patch that has not been refused yet. */
  readonly #keys = new Map<number, string>();
  readonly #answers: Written[] = [];

  constructor(patches: readonly Patch[], mayInsert: boolean) {
    this.#mayInsert = mayInsert;
    for (const [ordinal, patch] of patches.entries()) {
      const rejected = patchFaultOf(patch);
      if (rejected !== undefined) {
        this.#answers[ordinal] = { rejected };
        continue;
      }
      const key = JSON.stringify(Object.values(patch.key));
      // A map keeps the first place of a key, and halves are written in the order of the patches that count.
      this.#wanted.delete(key);
      this.#wanted.set(key, { ordinal, patch });
      this.#keys.set(ordinal, key);
    }
  }

  async write(to: Omit<WriteTo, "sql">): Promise<void> {
    const sql = writeStatement(to.table, this.#mayInsert);
    await this.#writeSome({ ...to, sql }, [...this.#wanted.values()]);
  }

  /** One answer for each patch, once all are written: the one for the patch that counted for its key. */
  answers(): readonly Written[] {
    for (const [ordinal, key] of this.#keys) {
      const counted = this.#answers[this.#wanted.get(key)?.ordinal ?? ordinal];
      if (counted !== undefined) this.#answers[ordinal] = counted;
    }
    return this.#answers;
  }

  /**
   * Whether a row is not as wanted although the server refused nothing: another session removed or renamed it in
   * between, which another try settles, or the table does not let it be written.
   */
  #isLeft(ordinal: number): boolean {
    const answer = this.#answers[ordinal];
    return answer === keptAnswer || (this.#mayInsert && answer === absentAnswer);
  }

  async #writeSome(
    to: WriteTo,
    some: readonly Numbered[],
    triesLeft = writeTriesMax,
  ): Promise<void> {
    if (some.length === 0 || triesLeft === 0) return;
    await to.beforeWrite?.();
    try {
      const rows = await to.session.query(to.sql, [parameterOf(some, to.table)]);
      for (const { ordinal, done } of rows) this.#answers[Number(ordinal)] = writtenOf(done);
      // Before any later half, which may hold a later patch of the same key.
      const left = some.filter(({ ordinal }) => this.#isLeft(ordinal));
      await this.#writeSome(to, left, triesLeft - 1);
    } catch (error) {
      const rejected = refusalOf(error, to.table.name.table);
      if (rejected === undefined) throw error;
      // The statement did all or nothing, so a half begins from the same table.
      const [first] = some;
      if (first !== undefined && some.length === 1) {
        const column = await columnAtFault(to, first);
        this.#answers[first.ordinal] = {
          rejected: column === undefined ? rejected : `the column ${column}: ${rejected}`,
        };
        return;
      }
      const middle = Math.ceil(some.length / 2);
      await this.#writeSome(to, some.slice(0, middle), triesLeft);
      await this.#writeSome(to, some.slice(middle), triesLeft);
    }
  }
}

type WriteTo = {
  readonly session: Session;
  readonly table: WriteTable;
  readonly sql: string;
  readonly beforeWrite: (() => Promise<void>) | undefined;
};

const keptAnswer: Written = {
  rejected: "its row kept other values: a trigger or a policy of the table let nothing change it",
};

const absentAnswer: Written = { done: "missing" };

function writtenOf(done: unknown): Written {
  if (done === "kept") return keptAnswer;
  if (done === "absent") return absentAnswer;
  return { done: done === "written" ? "written" : "unchanged" };
}

/** The column whose value the server cannot read; its error does not say. Undefined when it refused something else. */
async function columnAtFault(
  { session, table }: WriteTo,
  patch: Numbered,
): Promise<string | undefined> {
  const values = [parameterOf([patch], table)];
  for (const { name, sql } of readStatements(table)) {
    try {
      await session.query(sql, values);
    } catch (error) {
      if (refusalOf(error) === undefined) throw error;
      return name;
    }
  }
  return undefined;
}
