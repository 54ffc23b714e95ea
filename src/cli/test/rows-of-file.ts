import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { sourcesOf } from "../../../connectors/registry.ts";
import { connectorOf, readRequestOf } from "../../../connectors/source.ts";
import type { Config, SyncConfig } from "../../config/config.ts";
import { readFault } from "../../config/document/read-fault.ts";
import { membersOf } from "../../config/schema/members.ts";
import { ConfigError } from "../../errors.ts";
import { pageRowsMax } from "../../limits.ts";
import { parseJsonRow } from "../../mapping/json-row.ts";
import type { RowPage } from "../../pipeline/page.ts";
import { isPlainObject } from "../../records/json-value.ts";
import type { Row } from "../../records/streams.ts";
import { asPostgresGives } from "../../sync-tests/rows.ts";

/** Connectors that read files themselves. */
const readers: ReadonlySet<string> = new Set(["csv", "jsonl"]);

/**
 * The rows of a file. For a sync that reads files, as its connector reads them; otherwise the rows of a JSON file,
 * which is an object or a list of objects.
 * @throws {ConfigError} it cannot be read.
 */
export async function* rowsOfFile(
  config: Config,
  sync: SyncConfig,
  path: string,
): AsyncGenerator<RowPage> {
  if (!readers.has(sync.connector)) {
    const rows = await jsonRows(path);
    const given = sync.connector === "postgres" ? rows.map(ofPostgres) : rows;
    yield { rows: given, position: undefined, where: String };
    return;
  }
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  const connectorConfig = { ...membersOf(sync.connectorConfig), path, append_only: false };
  const request = readRequestOf({ connectorConfig }, new AbortController().signal);
  yield* source.read({ ...request, pageRowsMax });
}

function ofPostgres(row: Row): Row {
  const cells = Object.entries(row);
  return Object.fromEntries(cells.map(([column, value]) => [column, asPostgresGives(value)]));
}

async function jsonRows(path: string): Promise<readonly Row[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new ConfigError(`cannot read ${basename(path)}: ${readFault(error)}`, { cause: error });
  });
  // As a member it is read like rows of JSON: no number silently loses a digit.
  const value = parseJsonRow(`{"rows":${text}\n}`)?.["rows"];
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (rows.every(isPlainObject)) return rows;
  throw new ConfigError(`${basename(path)} is not JSON of rows`, {
    hint: "it must hold an object, or a list of objects",
  });
}
