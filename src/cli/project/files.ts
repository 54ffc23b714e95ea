import { appendFile, mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";

import { isMissing, readFault } from "../../config/document/read-fault.ts";
import { ConfigError, errorCodeOf } from "../../errors.ts";

/** A file of a new project. */
export type ProjectFile = { readonly name: string; readonly text: string };

/** @throws {ConfigError} some of the files are there already; its text names each of them. */
export async function refuseExisting(folder: string, names: readonly string[]): Promise<void> {
  const there = await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(folder, name)).catch(() => undefined);
      return stats === undefined ? [] : [name];
    }),
  );
  if (there.flat().length > 0) throw alreadyHere(there.flat());
}

/**
 * Makes the folders of these files.
 * @throws {ConfigError} one cannot be made.
 */
export async function makeFolders(folder: string, names: readonly string[]): Promise<void> {
  for (const name of new Set(names.map((file) => dirname(file)))) {
    try {
      await mkdir(join(folder, name), { recursive: true });
    } catch (error) {
      if (!["EEXIST", "ENOTDIR"].includes(errorCodeOf(error))) throw notWritten(name, error);
      throw new ConfigError(`cannot make the folder ${name}: a file has this name`, {
        cause: error,
        hint: "move it away",
      });
    }
  }
}

/**
 * Writes the files of a project, whose folders are there; without `replace`, not over a file that has appeared since it
 * was looked for.
 * @throws {ConfigError} a file cannot be written.
 */
export async function writeFiles(
  folder: string,
  files: readonly ProjectFile[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  for (const { name, text } of files) {
    await writing(name, async () => {
      await writeFile(join(folder, name), text, { flag: replace ? "w" : "wx" });
    });
  }
}

/**
 * Adds the paths that `.gitignore` does not list yet; returns whether there were any.
 * @throws {ConfigError} it cannot be written.
 */
export async function addIgnored(folder: string, paths: readonly string[]): Promise<boolean> {
  const path = join(folder, ".gitignore");
  return await writing(".gitignore", async () => {
    const text = await textAt(path);
    const listed = new Set(text.split("\n").map(barePath));
    const lines = paths.filter((line) => !listed.has(barePath(line)));
    if (lines.length === 0) return false;
    await appendFile(path, `${lineEndOf(text)}${lines.join("\n")}\n`);
    return true;
  });
}

/**
 * Adds a variable to `.env`, which is then readable for this user alone.
 * @throws {ConfigError} it cannot be written, or no such file can hold the value.
 */
export async function addSecret(folder: string, name: string, value: string): Promise<void> {
  const path = join(folder, ".env");
  await writing(".env", async () => {
    const text = await textAt(path);
    // Compose reads this file too, and fills in a $ that no single quotes hold.
    const quotes = value.includes("$") ? ["'", "", '"', "`"] : ["", "'", '"', "`"];
    const line = quotes
      .map((quote) => `${lineEndOf(text)}${name}=${quote}${value}${quote}\n`)
      .find((candidate) => parseEnv(text + candidate)[name] === value);
    if (line === undefined) {
      throw new ConfigError(`.env cannot hold this ${name}`, {
        hint: "Write # and quotes in it as %23, %22 and %27.",
      });
    }
    await using file = await open(path, "a", 0o600);
    // An existing file may have been readable for others.
    await file.chmod(0o600);
    await file.appendFile(line);
  });
}

async function writing<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (errorCodeOf(error) === "EEXIST") {
      throw alreadyHere([name]);
    }
    throw notWritten(name, error);
  }
}

function notWritten(name: string, error: unknown): ConfigError {
  return new ConfigError(`cannot write ${name}: ${readFault(error)}`, {
    cause: error,
    hint: "go to a folder where you may write, or give yourself the right to write here",
  });
}

async function textAt(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** The line end that a text lacks; empty if it lacks none. */
function lineEndOf(text: string): string {
  return text === "" || text.endsWith("\n") ? "" : "\n";
}

/** A line of `.gitignore`, without the slashes and blanks that make no difference at the top of a project. */
function barePath(line: string): string {
  return line.trim().replace(/^\//, "").replace(/\/$/, "");
}

function alreadyHere(names: readonly string[]): ConfigError {
  const are = names.length === 1 ? "is" : "are";
  return new ConfigError(`${names.join(", ")} ${are} here already`, {
    hint: "--force replaces what is here.",
  });
}
