import { ConfigError } from "../../src/errors.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles, type SourceFile } from "./files.ts";
import { nameCharsShown, namesShownMax } from "./limits.ts";
import { openFile, type OpenFile } from "./open.ts";
import { walkRows, type Walked } from "./parse/walk.ts";
import type { CsvPosition } from "./position.ts";
import { behind, runPositionOf, type Passed } from "./read.ts";

type BeforeRequest = ConnectorRequest<CsvConfig> & { readonly place: string };

/** A place in one file: lines count from 1, bytes from 0; bytes of a gzip file are unpacked ones. */
type FilePlace = {
  readonly source: SourceFile;
  readonly unit: "line" | "byte";
  readonly number: number;
};

/**
 * The position before the first row that begins at or after a place: `line 48211`, `byte 1048576`, or
 * `exports/a.csv:48211` as places of rows are written. A line that continues a quoted field begins no row, so it means
 * the next row; a line of the header means the first row, and one line after the last is the end. The file is walked up
 * to there.
 */
export async function beforeCsv(request: BeforeRequest): Promise<CsvPosition> {
  const { config, signal } = request;
  if (config.append_only) {
    throw new ConfigError("a place means nothing to an append-only source", {
      hint: "Leave from and to away to read all of it; places are for files that are read whole in each run.",
    });
  }
  const files = await listFiles(config);
  const place = parsePlace(request.place, files);
  let passed: Passed = { before: undefined, first: files[0]?.place ?? place.source.place };
  for (const source of files.slice(0, files.indexOf(place.source))) {
    signal.throwIfAborted();
    await using file = await openFile(source, config.append_only);
    passed = behind(passed, file);
  }
  await using file = await openFile(place.source, config.append_only);
  return runPositionOf(file, await findPlace(file, place, request), passed);
}

/** @throws {ConfigError} it is beyond the end. */
async function findPlace(
  file: OpenFile,
  place: FilePlace,
  request: BeforeRequest,
): Promise<Walked> {
  const { source, unit, number } = place;
  const walked = await walkRows(
    file,
    { file: source },
    {
      ...request,
      isReached: ({ offset, line }) => (unit === "line" ? line : offset) >= number,
    },
  );
  const { isEnd, lines, offset } = walked;
  if (!isEnd || number <= (unit === "line" ? lines + 1 : offset)) return walked;
  const size =
    unit === "line" ? `${lines} lines` : `${offset}${file.isGzip ? " unpacked" : ""} bytes`;
  throw new ConfigError(`${unit} ${number} is beyond the end: ${file.place} has ${size}`, {
    hint: "Give a place within the file, or leave it away to read to the end.",
  });
}

/** @throws {ConfigError} it is not a place, or in none of the files. */
function parsePlace(text: string, files: readonly SourceFile[]): FilePlace {
  const [first] = files;
  const shown = JSON.stringify(text.slice(0, nameCharsShown));
  const hint = hintOf(files);
  const found = /^\s*(?:(line|byte)\s+|(.+):)(\d+)\s*$/is.exec(text);
  if (found === null) throw new ConfigError(`${shown} is not a place in a CSV file`, { hint });
  const [, word, name, digits] = found;
  const source = name === undefined ? first : files.find((file) => file.place === name);
  if (source === undefined) {
    throw new ConfigError(`${shown} is not in any file that this source reads`, { hint });
  }
  if (name === undefined && files.length > 1) {
    throw new ConfigError(`${shown} does not say which of ${files.length} files`, { hint });
  }
  const unit = word?.toLowerCase() === "byte" ? "byte" : "line";
  const number = Number(digits);
  if (unit === "line" && number === 0) {
    throw new ConfigError(`${shown}: lines are counted from 1`, { hint });
  }
  return { source, unit, number };
}

function hintOf(files: readonly SourceFile[]): string {
  const [first] = files;
  const example = `${first?.place ?? "accounts.csv"}:48211`;
  if (files.length === 1) return `Give "line 48211", "byte 1048576" or "${example}".`;
  const names = files.slice(0, namesShownMax).map((file) => file.place);
  const more = files.length - names.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `Give a file and a line of it: "${example}"; the files are ${names.join(", ")}${rest}.`;
}
