import { matchesGlob } from "node:path";

import { compileMapping } from "../mapping/compile.ts";
import { Secret } from "../security/secret.ts";
import type { SyncConfig } from "./config.ts";
import { absolutePath } from "./document/absolute-path.ts";
import type { Mistake } from "./messages/mistakes.ts";
import { membersOf } from "./schema/members.ts";
import type { PullConfig } from "./schema/pull.ts";
import type { SourceConfig } from "./schema/sources.ts";

/** Columns that a pull writes, including the key if the pull makes rows. */
function columnsWritten({ writeBack }: PullConfig): readonly string[] {
  const { key, set, connectorConfig } = writeBack;
  const makesRows = membersOf(connectorConfig)["insert"] !== false;
  return [...Object.keys(set), ...(makesRows ? Object.keys(key) : [])];
}

/**
 * A table's name without its quotes, which matter only for names with a dot. Postgres takes a table without a schema
 * from `public`, unless its search path says otherwise.
 */
function tableName(table: unknown): string | undefined {
  return typeof table === "string" ? table.replaceAll('"', "").replace(/^public\./, "") : undefined;
}

/** The database of a connection, as far as its members show: two connections may be two logins of one database. */
function databaseOf({ connection, connector, connectorConfig }: SourceConfig): string {
  const { url, host, port = 5432, database } = membersOf(connectorConfig);
  const address = url instanceof Secret ? URL.parse(url.reveal()) : null;
  if (address !== null) {
    const named = address.searchParams.get("host") ?? address.hostname;
    return [connector, named, address.port || 5432, address.pathname.slice(1)].join(" ");
  }
  return typeof host === "string" ? [connector, host, port, database].join(" ") : connection;
}

/** Whether a sync reads the table or file that a pull writes, as far as their configurations show. */
function readsWhatIsWritten(sync: SyncConfig, { writeBack }: PullConfig): boolean {
  const [from, to] = [membersOf(sync.connectorConfig), membersOf(writeBack.connectorConfig)];
  const [file, path] = [absolutePath(to, "file"), absolutePath(from, "path")];
  if (file !== undefined && path !== undefined) return file === path || matchesGlob(file, path);
  if (databaseOf(sync) !== databaseOf(writeBack)) return false;
  const table = tableName(to["table"]);
  if (table === undefined) return false;
  // A query may read the table by any name; one that contains its name most likely reads it.
  const { query } = from;
  if (typeof query === "string") return query.includes(table.split(".").at(-1) ?? table);
  return tableName(from["table"]) === table;
}

/** The pulls that write into the rows that a sync reads, and their columns. */
export function pullsInto(
  sync: SyncConfig,
  pulls: ReadonlyMap<string, PullConfig>,
): readonly { readonly pull: string; readonly columns: readonly string[] }[] {
  return [...pulls.values()]
    .filter((pull) => readsWhatIsWritten(sync, pull))
    .map((pull) => ({ pull: pull.name, columns: columnsWritten(pull) }));
}

function tableOf({ connectorConfig }: SourceConfig): string | undefined {
  return tableName(membersOf(connectorConfig)["table"]);
}

/** The other pulls that write one of a pull's columns in the same table. */
export function pullsAlsoWriting(
  pull: PullConfig,
  pulls: ReadonlyMap<string, PullConfig>,
): readonly string[] {
  const { name, writeBack } = pull;
  const table = tableOf(writeBack);
  if (table === undefined) return [];
  return [...pulls.values()]
    .filter(({ writeBack: other }) => {
      const isSame = tableOf(other) === table && databaseOf(other) === databaseOf(writeBack);
      return (
        isSame && Object.keys(other.set).some((column) => Object.hasOwn(writeBack.set, column))
      );
    })
    .map((other) => other.name)
    .filter((other) => other !== name);
}

/** Why a sync would send values that a pull wrote; undefined when it would not. */
function echoOf(sync: SyncConfig, pull: PullConfig): string | undefined {
  if (!readsWhatIsWritten(sync, pull)) return undefined;
  const way = `pull ${pull.name} writes; let the pull write another table, or set allow_feedback_loop: true here`;
  if (sync.record === undefined) return `its module may read columns that ${way}`;
  const read = compileMapping({ mapping: sync.record, stream: sync.stream }).columns;
  const both = columnsWritten(pull).filter((column) => read.includes(column));
  if (both.length === 0) return undefined;
  const only = both.every((column) => Object.hasOwn(pull.writeBack.key, column));
  const rows = only ? ", or insert: false there, so that it makes no rows" : "";
  return `reads ${both.join(", ")}, which ${way}${rows}`;
}

/**
 * The syncs that would send back values that a pull wrote: the service would receive its own values, and the two might
 * never settle.
 */
export function echoMistakes(config: {
  readonly syncs: ReadonlyMap<string, SyncConfig>;
  readonly pulls: ReadonlyMap<string, PullConfig>;
}): readonly Mistake[] {
  return [...config.syncs.values()].flatMap((sync) => {
    if (sync.allowFeedbackLoop) return [];
    return [...config.pulls.values()].flatMap((pull): Mistake[] => {
      const message = echoOf(sync, pull);
      return message === undefined
        ? []
        : [{ path: ["syncs", sync.name, "record"], on: "name", message }];
    });
  });
}
