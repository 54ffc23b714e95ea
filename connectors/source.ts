import type { SyncConfig } from "../src/config/config.ts";
import { didYouMean } from "../src/config/messages/did-you-mean.ts";
import type { PullConfig } from "../src/config/schema/pull.ts";
import { ConfigError } from "../src/errors.ts";
import { loadMapping } from "../src/mapping/load.ts";
import type { Source } from "./contract/connector.ts";
import { silentLog, type ConnectorRequest } from "./contract/request.ts";

/** The connector of this name. @throws {ConfigError} there is none. */
export function connectorOf(
  { sources }: { readonly sources: ReadonlyMap<string, Source> },
  name: string,
): Source {
  const source = sources.get(name);
  if (source === undefined) throw new ConfigError(`there is no connector "${name}"`);
  return source;
}

/** The request for a connector. */
export function readRequestOf(
  sync: Pick<SyncConfig, "connectorConfig">,
  signal: AbortSignal,
): ConnectorRequest<unknown> {
  return { config: sync.connectorConfig, signal, log: silentLog };
}

/** Columns that a message names. */
const columnsShownMax = 50;

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/**
 * Checks before the first row that the source has every column that the mapping reads.
 * @param mayName whether the message may name the columns of the source: never where Temporal keeps it, because a file
 * without a header has its first row there (I4).
 * @throws {ConfigError} it does not.
 */
export async function checkColumns(
  source: Source,
  sync: SyncConfig,
  how: { readonly signal: AbortSignal; readonly mayName: boolean },
): Promise<void> {
  const columns = await source.columns?.(readRequestOf(sync, how.signal));
  if (columns === undefined) return;
  const mapping = await loadMapping(sync);
  const missing = mapping.columns.filter((column) => !columns.includes(column));
  if (missing.length === 0) return;
  const named = how.mayName
    ? missing.map((column) => `"${column}"${didYouMean(column, columns)}`).join(", ")
    : quoted(missing);
  throw new ConfigError(
    `sync ${sync.name} reads the column${missing.length > 1 ? "s" : ""} ${named}, which connection ` +
      `${sync.connection} does not have`,
    {
      field: `syncs.${sync.name}.record`,
      hint: how.mayName
        ? `its columns are ${quoted(columns.slice(0, columnsShownMax))}`
        : `\`sluice preview ${sync.name}\` says which columns there are`,
    },
  );
}

/**
 * Checks, before the first call is paid for, that the results of a pull can be written.
 * @throws {ConfigError} it cannot, as its connector says.
 */
export async function checkWriteBack(
  { sources }: { readonly sources: ReadonlyMap<string, Source> },
  { writeBack }: Pick<PullConfig, "writeBack">,
  signal: AbortSignal,
): Promise<void> {
  const source = connectorOf({ sources }, writeBack.connector);
  const columns = { key: Object.keys(writeBack.key), set: Object.keys(writeBack.set) };
  await source.checkWrite?.({ ...readRequestOf(writeBack, signal), columns });
}
