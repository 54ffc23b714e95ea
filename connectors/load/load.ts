import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { ExternalName } from "../../src/config/external.ts";
import { ConfigError, messageOf } from "../../src/errors.ts";
import { mappingErrorCharsMax } from "../../src/limits.ts";
import type { Source } from "../contract/connector.ts";
import { findModule, type FoundModule } from "./find.ts";
import { sourceIn } from "./look.ts";
import { resolveOwnImports } from "./resolve.ts";

/**
 * Imports an external connector: a module with exactly one source among its exports. Node strips the types of one that is a path, and
 * `sluice/connector` is this copy of sluice, whatever else is installed there. A thread imports it once: an edit counts when the
 * process is started again, and no configuration's hash tells of it.
 * @throws {ConfigError} it is not there, fails when it is imported, or exports no source that this sluice can use.
 */
export async function loadConnector(
  named: ExternalName,
  builtIn: readonly string[],
): Promise<Source> {
  const { connector } = named;
  const found = await findModule(named, builtIn);
  resolveOwnImports();
  let exported: unknown;
  try {
    exported = await import(found.specifier);
  } catch (error) {
    throw importFault(error, { named, found });
  }
  return sourceIn(exported, connector);
}

/** What to do about errors of Node's own, by their codes. */
const hints: Readonly<Record<string, string>> = {
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    "Node strips types and nothing else: no enums, namespaces or parameter properties",
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
    "a package holds JavaScript: Node strips no types below node_modules",
};

function importFault(
  error: unknown,
  { named, found }: { readonly named: ExternalName; readonly found: FoundModule },
): ConfigError {
  const [first = ""] = messageOf(error).split("\n");
  const place = placeOf(error, { named, found });
  const said = first.slice(0, mappingErrorCharsMax).toWellFormed();
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new ConfigError(`${named.connector} cannot be loaded: ${place}: ${said}`, {
    cause: error,
    hint: hints[code],
  });
}

/** A place in a stack: `file:///a/b.ts:3:9` in parentheses or after "at", or what Node writes before the stack, `/a/b.ts:3`. */
const frame =
  /(?:^|\(|at (?:async )?)(?<path>file:\/\/\/[^\s()]+?|\/[^()\n]+?):(?<line>\d+)(?::\d+)?\)?$/gm;

/** Where in the connector it went wrong, as far as the error tells: a line of it, or its file. */
function placeOf(
  error: unknown,
  { named, found }: { readonly named: ExternalName; readonly found: FoundModule },
): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const root = dirname(found.file);
  const shown = (path: string): string => {
    const way = relative(named.folder, path);
    return way.startsWith("..") ? path : way;
  };
  for (const { groups } of stack.matchAll(frame)) {
    const { path = "", line = "" } = groups ?? {};
    const file = path.startsWith("file:") ? fileURLToPath(path) : path;
    if (file.startsWith(`${root}/`)) return `${shown(file)}:${line}`;
  }
  return shown(found.file);
}
