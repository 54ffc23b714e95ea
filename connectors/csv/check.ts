import { ConfigError, messageOf, SluiceError } from "../../src/errors.ts";
import type { Measure, NoCells, Span } from "../contract/connector.ts";
import type { ConnectorRequest, Finding } from "../contract/request.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles, type SourceFile } from "./files.ts";
import { cellColumnsMax } from "./limits.ts";
import { openFile, type OpenFile } from "./open.ts";
import { readLayout, type Layout, type LayoutRequest } from "./parse/header.ts";
import { hasCells } from "./parse/page-cells.ts";
import type { CsvPosition } from "./position.ts";
import { spansOf } from "./spans.ts";

/** One finding for each file: how it is read, or why it cannot be. */
export async function checkCsv(request: ConnectorRequest<CsvConfig>): Promise<readonly Finding[]> {
  const { config } = request;
  let files: readonly SourceFile[];
  try {
    files = await listFiles(config);
  } catch (error) {
    return [failed(config.path, error)];
  }
  const findings: Finding[] = [];
  for (const file of files) {
    request.signal.throwIfAborted();
    findings.push(await checkFile(file, request));
  }
  const [first] = files;
  if (
    config.first_wins === true &&
    !config.append_only &&
    first !== undefined &&
    files.length > 1
  ) {
    findings.push({ name: "order of files", ok: true, detail: newestWins(first, files.length) });
  }
  return findings;
}

function newestWins({ place }: SourceFile, files: number): string {
  return (
    `when a key is in several of ${files} files the newest wins, which is the last by path: ` +
    `${place} is read first, and a row of a key that was read before is rejected (duplicate_key)`
  );
}

async function checkFile(
  source: SourceFile,
  request: ConnectorRequest<CsvConfig>,
): Promise<Finding> {
  try {
    return await withLayout(source, { ...request, mayName: true }, async (layout, file) => ({
      name: source.place,
      ok: true,
      detail:
        layout === undefined
          ? "the header line is still being written"
          : `${layout.columns.length} columns, delimiter ${JSON.stringify(layout.dialect.delimiter)}, ` +
            `${layout.encoding}, ${file.size} bytes${file.isGzip ? " of gzip" : ""}`,
    }));
  } catch (error) {
    return failed(source.place, error);
  }
}

function failed(name: string, error: unknown): Finding {
  const fix = error instanceof SluiceError ? error.hint : undefined;
  return { name, ok: false, detail: messageOf(error), fix };
}

/**
 * The columns that every file has, in the order of the first: a mapping of any other column would find nothing in some
 * rows.
 */
export async function columnsOfCsv(
  request: ConnectorRequest<CsvConfig>,
): Promise<readonly string[]> {
  let columns: readonly string[] | undefined;
  for (const source of await listFiles(request.config)) {
    const layout = await withLayout(source, { ...request, mayName: false }, async (found) => found);
    if (layout === undefined) continue;
    const names = new Set(layout.columns);
    columns = columns === undefined ? layout.columns : columns.filter((name) => names.has(name));
  }
  if (columns !== undefined) return columns;
  throw new ConfigError(`${request.config.path} has no whole header line yet`, {
    field: "path",
    hint: "Wait until the first line is written, or name the columns: columns: [id, name].",
  });
}

/** The first file whose rows cannot be read as cells, and why. */
export async function whyNoCellsOfCsv(
  request: ConnectorRequest<CsvConfig>,
): Promise<NoCells | undefined> {
  for (const source of await listFiles(request.config)) {
    const layout = await withLayout(source, { ...request, mayName: false }, async (found) => found);
    if (layout === undefined || hasCells(layout)) continue;
    const { columns, encoding } = layout;
    if (encoding !== "utf-8") {
      return { because: `${source.place} is ${encoding} and not utf-8`, member: "encoding" };
    }
    return {
      because: `${source.place} has ${columns.length} columns, more than ${cellColumnsMax}`,
    };
  }
  return undefined;
}

/** The bytes of a span, as they are stored; an estimate where the span begins or ends inside a gzip file. */
export async function measureCsv(
  request: ConnectorRequest<CsvConfig> & Span<CsvPosition>,
): Promise<Measure> {
  let bytes = 0;
  let exact = true;
  for (const { file: source, from, to } of spansOf(
    await listFiles(request.config),
    request.config,
    request,
  )) {
    await using file = await openFile(source, request.config.append_only);
    if (file.isGzip && (from !== undefined || to !== undefined)) exact = false;
    bytes += file.isGzip ? file.size : Math.max(0, (to?.offset ?? file.size) - (from?.offset ?? 0));
  }
  return { bytes, exact };
}

/**
 * Opens a file and hands it to `use` with its layout, which is undefined while the header line of an append-only file
 * is being written.
 */
export async function withLayout<Result>(
  source: SourceFile,
  request: ConnectorRequest<CsvConfig> & LayoutRequest,
  use: (layout: Layout | undefined, file: OpenFile) => Promise<Result>,
): Promise<Result> {
  await using file = await openFile(source, request.config.append_only);
  return await use(await readLayout(file, request.config, request), file);
}
