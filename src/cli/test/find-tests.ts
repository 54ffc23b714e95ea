import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";

import type { Config } from "../../config/config.ts";
import { readConfigFile, type FoundFile } from "../../config/document/find.ts";
import { isMissing, readFault } from "../../config/document/read-fault.ts";
import { ConfigError } from "../../errors.ts";

/** The folder of tests, beside `sluice.yaml`. */
export const testFolder = "tests";

const testFile = /\.ya?ml$/;

/**
 * The test files that are named; otherwise all in `tests/` beside `sluice.yaml`, in the order of their names.
 * @throws {ConfigError} there are none, or one cannot be read.
 */
export async function findTests(
  { folder }: Pick<Config, "folder">,
  { names, cwd }: { readonly names: readonly string[]; readonly cwd: string },
): Promise<readonly FoundFile[]> {
  const paths =
    names.length > 0
      ? names.map((name) => resolve(cwd, name))
      : await pathsIn(join(folder, testFolder));
  const found = await Promise.all(paths.map(async (path) => await readConfigFile(path, cwd)));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw new ConfigError(`there is no test file ${missing.join(", ")}`);
  return found.filter((file) => file !== undefined);
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw new ConfigError(`cannot read ${folder}: ${readFault(error)}`, { cause: error });
  });
  const tests = names.filter((name) => testFile.test(name) && !name.startsWith(".")).toSorted();
  if (tests.length > 0) return tests.map((name) => join(folder, name));
  throw new ConfigError(`there are no tests: no ${testFolder}/*.yaml beside sluice.yaml`, {
    hint: "docs/testing-a-sync.md shows how one is written",
  });
}
