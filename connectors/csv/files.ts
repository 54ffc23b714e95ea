import { glob, lstat, opendir, readdir, realpath } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";

import { editDistance } from "../../src/config/messages/did-you-mean.ts";
import { ConfigError, errorCodeOf } from "../../src/errors.ts";
import type { CsvConfig } from "./config.ts";
import { filesMax, missingFileMs, namesShownMax } from "./limits.ts";
import { fileError } from "./parse/file-error.ts";

/** A file to read. */
export type SourceFile = {
  /** The path in the form used by the configuration. */
  readonly place: string;
  /** The absolute path with all links followed, so that the file that was checked is the one that is opened. */
  readonly path: string;
};

/**
 * Lists the files of a connection, in the order they are read: by path, or backwards where the first row of a key wins.
 * So the last file by path (the newest of dated ones) is the one whose row is sent, or sent last. Append-only files are
 * never read backwards: a path does not say what was appended when. A path that exists as written is never taken for a
 * pattern; folders that a pattern matches are skipped.
 * @throws {ConfigError} there is no file, or there are too many.
 */
export async function listFiles(config: CsvConfig): Promise<readonly SourceFile[]> {
  const folder = resolve(config.folder ?? ".");
  const path = resolve(folder, config.path);
  if (await exists(path, config.path)) {
    return [{ place: config.path, path: await targetOf(path, config.path) }];
  }
  if (!isPattern(config.path)) throw await notFound(config.path, path);

  const places: string[] = [];
  for await (const match of glob(config.path, { cwd: folder })) {
    places.push(config.path.startsWith("./") ? `./${match}` : match);
    if (places.length > filesMax) {
      throw new ConfigError(`${config.path} matches more than ${filesMax} files`, {
        field: "path",
        hint: "Narrow the pattern.",
      });
    }
  }
  await assertListable(config.path, folder);
  places.sort();
  if (config.first_wins === true && !config.append_only) places.reverse();
  if (places.length === 0) throw await notFound(config.path, path);
  const root = await realpath(patternRoot(path));
  const files: SourceFile[] = [];
  for (const place of places) {
    const file = { place, path: await targetOf(resolve(folder, place), place) };
    if (await isWanted(file, root)) files.push(file);
  }
  if (files.length === 0) throw await notFound(config.path, path);
  return files;
}

function isPattern(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}

/**
 * Makes sure that every folder a pattern searches can be listed: `glob` skips the others silently.
 * @throws {ConfigError} one cannot.
 */
async function assertListable(pattern: string, cwd: string): Promise<void> {
  const segments = pattern.split(sep);
  for (let count = 1; count < segments.length; count += 1) {
    const parents = segments.slice(0, count).join(sep) || sep;
    for await (const place of glob(parents, { cwd })) {
      try {
        await (await opendir(resolve(cwd, place))).close();
      } catch (error) {
        if (!isNoFolder.has(errorCodeOf(error))) throw fileError(error, place).error;
      }
    }
  }
}

const isNoFolder: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** The folder a pattern searches: everything before its first segment with a wildcard. */
function patternRoot(path: string): string {
  const segments = path.split(sep);
  return segments.slice(0, segments.findIndex(isPattern)).join(sep) || sep;
}

async function exists(path: string, place: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const failure = fileError(error, place);
    if (failure.isMissing) return false;
    throw failure.error;
  }
}

async function targetOf(path: string, place: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw fileError(error, place).error;
  }
}

/**
 * Whether a match is to be opened; a folder is not. A link that leads out of the folder is refused, because whoever may
 * write there need not be the person who wrote the pattern (docs/facts/threats.md#t3); a file written out in the
 * configuration may be a link to anywhere.
 */
async function isWanted({ place, path }: SourceFile, root: string): Promise<boolean> {
  if (!path.startsWith(root === sep ? sep : root + sep)) {
    throw new ConfigError(`${place} is a link that leads out of the pattern's folder`, {
      field: "path",
      hint: "Name the file itself as path, or remove the link.",
    });
  }
  try {
    return !(await lstat(path)).isDirectory();
  } catch (error) {
    throw fileError(error, place).error;
  }
}

async function notFound(place: string, path: string): Promise<ConfigError> {
  const what = isPattern(place) ? `no file matches ${place}` : `${place} does not exist`;
  const folder = isPattern(path) ? patternRoot(path) : dirname(path);
  const names = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isNoFolder.has(errorCodeOf(error))) return undefined;
    throw fileError(error, folder).error;
  });
  if (names === undefined) {
    return new ConfigError(`${what}: there is no folder ${folder}`, {
      field: "path",
      hint: "Check the path; it starts from the folder of sluice.yaml.",
      retryBudgetMs: missingFileMs,
    });
  }
  const wanted = basename(path);
  const near = names
    .filter((entry) => !entry.isDirectory())
    .slice(0, filesMax)
    .map(({ name }) => ({ name, distance: editDistance(name, wanted) }))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, namesShownMax)
    .map(({ name }) => name);
  const hint =
    near.length === 0 ? "The folder holds no files." : `The folder holds ${near.join(", ")}.`;
  return new ConfigError(what, { field: "path", hint, retryBudgetMs: missingFileMs });
}
