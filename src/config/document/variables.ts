import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { ConfigError } from "../../errors.ts";
import type { Variables } from "./interpolate.ts";
import { isFolder, isMissing, readFault } from "./read-fault.ts";

/**
 * The variables that `${VAR}` may name: the environment, and those in a folder's `.env` file that it does not set.
 * @throws {ConfigError} the `.env` file is there but cannot be read.
 */
export async function readVariables(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Variables> {
  const variables = new Map<string, string>();
  for (const members of [parseEnv(await readEnvFile(folder)), env]) {
    for (const [name, value] of Object.entries(members)) {
      if (value !== undefined) variables.set(name, value);
    }
  }
  return variables;
}

async function readEnvFile(folder: string): Promise<string> {
  try {
    const text = await readFile(join(folder, ".env"), "utf8");
    // Editors on Windows begin a file with a byte order mark, which would belong to the first name.
    return text.replace(/^\uFEFF/, "");
  } catch (error) {
    // A folder of that name is most likely a Python environment.
    if (isMissing(error) || isFolder(error)) return "";
    throw new ConfigError(`cannot read .env beside the configuration: ${readFault(error)}`, {
      cause: error,
    });
  }
}
