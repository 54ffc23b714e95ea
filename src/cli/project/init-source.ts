import type { Discovery, Source } from "../../../connectors/contract/connector.ts";
import { silentLog } from "../../../connectors/contract/request.ts";
import { sources } from "../../../connectors/registry.ts";
import { checkData } from "../../config/messages/mistakes.ts";
import { ConfigError, RetryLater } from "../../errors.ts";
import { tablesLookedThroughMax } from "../limits.ts";
import { nothingReadable } from "./nothing-readable.ts";
import { sampleOf, type Sample } from "./sample.ts";
import { looksLikeCount, suggestSync } from "./suggest-sync.ts";

/** A connection that is not in any configuration yet. */
export type NewConnection = {
  readonly connector: "csv" | "postgres";
  /** Its members as the connector takes them, variables filled in. */
  readonly members: Readonly<Record<string, string>>;
  /** The name by which a person knows these members: the variable, in place of its URL. */
  readonly shownAs: string;
  /** Where relative paths start. */
  readonly folder: string;
  /** Ends the requests to it. */
  readonly signal: AbortSignal;
};

/** A text that looks like a cell, and is hardly ever a column's name. */
const looksLikeValue = /^-?[\d.,]+$|^\S+@\S+\.\S+$|^https?:|^\d{4}-\d\d-\d\d/;

/**
 * Lists what there is to read at a connection. @throws {SluiceError} there is nothing, or it cannot be found out; no
 * fault is left to a later try.
 */
export async function discover(connection: NewConnection): Promise<readonly Discovery[]> {
  const { source, request } = opened(connection, {});
  const found = await source
    .discover?.({ ...request, max: tablesLookedThroughMax })
    .catch((error: unknown) => {
      if (!(error instanceof RetryLater)) throw error;
      throw new ConfigError(error.message, { cause: error, hint: error.hint });
    });
  if (found === undefined || found.length === 0) {
    throw nothingReadable(connection.connector, connection.members);
  }
  if (connection.connector === "csv") found.forEach(assertHeader);
  return found;
}

/** The first rows of a file, or of a table that has a text column with the name of a count; otherwise none. */
export async function sampled(connection: NewConnection, found: Discovery): Promise<Sample> {
  const isCounted = found.columns.some(
    ({ name, type }) => type === "string" && looksLikeCount(name),
  );
  if (connection.connector !== "csv" && !isCounted) return { rows: [], isMisread: false };
  const { source, request } = opened(connection, found.from);
  return await sampleOf(source, request);
}

function opened(
  { connector, members, shownAs, folder, signal }: NewConnection,
  from: Discovery["from"],
): {
  readonly source: Source;
  readonly request: Omit<Parameters<Source["read"]>[0], "pageRowsMax">;
} {
  const source = sources.get(connector);
  if (source === undefined) throw new ConfigError(`there is no connector ${connector}`);
  const { output: config, mistakes } = checkData(source.config, { ...members, ...from, folder });
  if (mistakes.length > 0) {
    const said = mistakes.map(({ path: [member = ""], message }) => {
      return `${Object.hasOwn(members, member) ? shownAs : String(member)}: ${message}`;
    });
    throw new ConfigError(said.join("; "), { field: shownAs });
  }
  return { source, request: { config, signal, log: silentLog } };
}

/** @throws {ConfigError} the names of the columns are most likely the cells of a row. */
function assertHeader(found: Discovery): void {
  const cell = found.columns.find(({ name }) => looksLikeValue.test(name))?.name;
  if (cell === undefined || suggestSync("", found).notes.length < 2) return;
  throw new ConfigError(
    `${found.name}: the first line looks like a row, not like names of columns: ${JSON.stringify(cell)}`,
    { hint: "Put the names of the columns into the first line." },
  );
}
