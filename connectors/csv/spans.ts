import { resolve } from "node:path";

import { ConfigError } from "../../src/errors.ts";
import type { Span } from "../contract/connector.ts";
import type { CsvConfig } from "./config.ts";
import type { SourceFile } from "./files.ts";
import { changed } from "./open.ts";
import type { CsvPosition, Mark, RunPosition } from "./position.ts";

/** The part of a source's span that is in one of its files. */
export type FileSpan = {
  readonly file: SourceFile;
  readonly from?: Mark | RunPosition | undefined;
  readonly to?: Mark | RunPosition | undefined;
};

/**
 * Cuts a span of the source into spans of its files, in the order they are read.
 * @throws {SourceChangedError} the file of a position is gone. @throws {ConfigError} a position was made with the other
 * setting of `append_only`.
 */
export function spansOf(
  files: readonly SourceFile[],
  config: CsvConfig,
  { from, to }: Span<CsvPosition>,
): readonly FileSpan[] {
  return config.append_only
    ? appendSpans(files, config, { from: appendMarks(config, from), to: appendMarks(config, to) })
    : runSpans(files, runPosition(from), runPosition(to));
}

/** The key of a file's mark: a path that is now written differently, `./a.csv` for `a.csv`, has the same key. */
export function markKey({ folder = "." }: CsvConfig, place: string): string {
  return resolve(folder, place);
}

/** The marks of an append-only position, by their keys. */
export function appendMarks(
  config: CsvConfig,
  position: CsvPosition | undefined,
): ReadonlyMap<string, Mark> | undefined {
  if (position === undefined) return undefined;
  if (!("files" in position)) throw otherSetting();
  return new Map(position.files.map((mark) => [markKey(config, mark.file), mark]));
}

function runPosition(position: CsvPosition | undefined): RunPosition | undefined {
  if (position !== undefined && "files" in position) throw otherSetting();
  return position;
}

function otherSetting(): ConfigError {
  return new ConfigError("the saved position was made with another append_only", {
    field: "append_only",
    hint: "Set it back, or reset the sync's checkpoint.",
  });
}

/** A file that `to` does not know has no rows before it. */
function appendSpans(
  files: readonly SourceFile[],
  config: CsvConfig,
  { from, to }: Span<ReadonlyMap<string, Mark>>,
): readonly FileSpan[] {
  return files
    .map((file) => ({ file, key: markKey(config, file.place) }))
    .filter(({ key }) => to === undefined || to.has(key))
    .map(({ file, key }) => ({ file, from: from?.get(key), to: to?.get(key) }));
}

function runSpans(
  files: readonly SourceFile[],
  from: RunPosition | undefined,
  to: RunPosition | undefined,
): readonly FileSpan[] {
  const first = from === undefined ? beginOf(files, to) : indexOf(files, from);
  const last = to === undefined ? files.length - 1 : indexOf(files, to);
  if (last < first) throw otherWay(files, { first, last });
  return files.slice(first, last + 1).map((file) => ({
    file,
    from: file.place === from?.file ? from : undefined,
    to: file.place === to?.file ? to : undefined,
  }));
}

/** The index at which a read from the beginning began: files that came before it since were not in that read. */
function beginOf(files: readonly SourceFile[], to: RunPosition | undefined): number {
  const index = files.findIndex(({ place }) => place === to?.first);
  return Math.max(0, index);
}

function otherWay(
  files: readonly SourceFile[],
  { first, last }: { readonly first: number; readonly last: number },
): ConfigError {
  const [from, to] = [files[first]?.place, files[last]?.place];
  return new ConfigError(`the span ends before it begins: ${to} is read before ${from}`, {
    field: "to",
    hint: `Swap from and to: ${files[0]?.place} is read first.`,
  });
}

function indexOf(files: readonly SourceFile[], position: RunPosition): number {
  const index = files.findIndex((file) => file.place === position.file);
  if (index === -1) throw changed(position.file, "is gone, and this run was reading it");
  return index;
}
