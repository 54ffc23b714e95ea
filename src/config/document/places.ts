import { dirname } from "node:path";

import { lineAt } from "../messages/problems.ts";
import { parseConfigDocument, type Path } from "./document.ts";
import { findConfigFile, type ConfigSearch } from "./find.ts";
import { readVariables } from "./variables.ts";

/** The places of values in a configuration that could be loaded. */
export type Places = {
  /** `sluice.yaml:12`, the line of the first of these paths that leads to a value; if none does, of the last. */
  of(...paths: readonly Path[]): string;
};

/**
 * Reads the places of a configuration's values.
 * @throws {ConfigError} the file no longer exists.
 */
export async function readPlaces(search: ConfigSearch): Promise<Places> {
  const { path, name, text } = await findConfigFile(search);
  const document = parseConfigDocument(text, await readVariables(dirname(path), search.env));
  return {
    of(...paths) {
      const found = paths.find((one) => document.writtenAt(one) !== undefined) ?? paths.at(-1);
      return `${name}:${lineAt(text, document.offsetOf(found ?? [], "value") ?? 0)}`;
    },
  };
}
