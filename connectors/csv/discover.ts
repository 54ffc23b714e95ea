import { pageRowsMax } from "../../src/limits.ts";
import type { Discovery } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { withLayout } from "./check.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles } from "./files.ts";
import { readCsv } from "./read.ts";

/** Matches the name of a column that identifies a row: `id`, `account_id`, `accountId`, `Account ID`. */
const namesARow = /(^|[ _.-])(id|Id|ID)$|[a-z]Id$/;

/**
 * The files as things to read: a single one when all have the same columns, otherwise one for each file. A file's key
 * is the first column that is called an id and that is filled in and unique in its first rows, blank rows aside.
 */
export async function discoverCsv(
  request: ConnectorRequest<CsvConfig> & { readonly max: number },
): Promise<readonly Discovery[]> {
  const { config, max } = request;
  const found: Discovery[] = [];
  for (const { place } of await listFiles(config)) {
    request.signal.throwIfAborted();
    const one = await discoverFile(place, request);
    if (one !== undefined) found.push(one);
    if (found.length > max) break;
  }
  const [first] = found;
  if (first === undefined) return [];
  const isOne = found.every(({ columns }) => sameNames(columns, first.columns));
  return isOne ? [{ ...first, name: config.path, from: {} }] : found.slice(0, max);
}

function sameNames(a: Discovery["columns"], b: Discovery["columns"]): boolean {
  return a.length === b.length && a.every(({ name }, index) => name === b[index]?.name);
}

/** Undefined while the header line is still being written. */
async function discoverFile(
  path: string,
  request: ConnectorRequest<CsvConfig>,
): Promise<Discovery | undefined> {
  const config = { ...request.config, path };
  const [file] = await listFiles(config);
  if (file === undefined) return undefined;
  const names = await withLayout(
    file,
    { ...request, config, mayName: true },
    async (layout) => layout?.columns,
  );
  if (names === undefined) return undefined;
  return {
    name: path,
    from: { path },
    columns: names.map((name) => ({ name, type: "string" })),
    key: await keyOf(names, { ...request, config }),
  };
}

async function keyOf(
  columns: readonly string[],
  request: ConnectorRequest<CsvConfig>,
): Promise<readonly string[]> {
  for await (const { rows } of readCsv({ ...request, pageRowsMax, limit: pageRowsMax })) {
    // Spreadsheets end their files with rows of nothing but separators.
    const filled = rows.filter((row) => columns.some((column) => (row[column] ?? "") !== ""));
    const key = columns.find((column) => {
      const values = new Set(filled.map((row) => row[column] ?? ""));
      return namesARow.test(column.trim()) && values.size === filled.length && !values.has("");
    });
    return key === undefined ? [] : [key];
  }
  // In a file that has only its header, nothing speaks against a name.
  return columns.filter((column) => namesARow.test(column.trim())).slice(0, 1);
}
