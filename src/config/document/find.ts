import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

import { ConfigError } from "../../errors.ts";
import { configBytesMax } from "../../limits.ts";
import { isMissing, readFault } from "./read-fault.ts";

const fileName = "sluice.yaml";

/** Where to look for a configuration. */
export type ConfigSearch = {
  /** The path given with `--config`, relative to `cwd`. */
  readonly path?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** A configuration file that was found and read. */
export type FoundFile = {
  /** Absolute path. */
  readonly path: string;
  /** The path as problems show it, relative to the working directory. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly text: string;
};

/**
 * Finds and reads the configuration: `--config`, else SLUICE_CONFIG, else the nearest `sluice.yaml` upwards from `cwd`.
 * @throws {ConfigError} there is none, or it cannot be read.
 */
export async function findConfigFile(search: ConfigSearch): Promise<FoundFile> {
  const { cwd, env } = search;
  const named = search.path ?? env["SLUICE_CONFIG"];
  if (named !== undefined && named !== "") {
    const path = resolve(cwd, named);
    const setting = search.path === undefined ? "SLUICE_CONFIG" : "--config";
    if (await isFolderAt(path)) {
      throw new ConfigError(`${setting} names ${named}, which is a folder`, {
        field: setting,
        hint: `Name the file in it: ${join(named, fileName)}`,
      });
    }
    const found = await readConfigFile(path, cwd);
    if (found !== undefined) return found;
    throw new ConfigError(`${setting} names ${named}, but there is no such file`, {
      field: setting,
    });
  }
  for (const folder of foldersUpwards(resolve(cwd))) {
    const found = await readConfigFile(join(folder, fileName), cwd);
    if (found !== undefined) return found;
  }
  throw new ConfigError(`no ${fileName} in ${resolve(cwd)} or any folder above it`, {
    hint: "Change to a folder that has one, name it with --config or SLUICE_CONFIG, or make one with `sluice init`.",
  });
}

async function isFolderAt(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

function foldersUpwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpwards(above)];
}

/**
 * Reads a configuration file by its absolute path; undefined when there is none.
 * @throws {ConfigError} it cannot be read.
 */
export async function readConfigFile(path: string, cwd: string): Promise<FoundFile | undefined> {
  const name = relative(cwd, path) || ".";
  try {
    // Without O_NONBLOCK, opening a named pipe would block.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new ConfigError(`${name} is not a file`);
    if (stats.size > configBytesMax) {
      throw new ConfigError(`${name} is larger than ${String(configBytesMax)} bytes`);
    }
    const bytes = await file.readFile();
    return { path, name, bytes, text: decode(bytes, name) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`cannot read ${name}: ${readFault(error)}`, { cause: error });
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${name} is not UTF-8`, { cause: error, hint: "Save it as UTF-8." });
  }
}
