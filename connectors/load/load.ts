import type { ExternalName } from "../../src/config/external.ts";
import { ConfigError, errorCodeOf } from "../../src/errors.ts";
import type { Source } from "../contract/connector.ts";
import { readFromInbox } from "../inbox/index.ts";
import { findModule } from "./find.ts";
import { sourceIn } from "./look.ts";
import { placedFault, withPlaces, type Origin } from "./place.ts";
import { resolveOwnImports } from "./resolve.ts";

/** The source made from a module's export: the same object each time that it is loaded. */
const loaded = new WeakMap<object, Source>();

/**
 * Imports an external connector: a module with exactly one source among its exports. Node strips the types of a module
 * named by its path, and `sluice/connector` is this copy of sluice, whatever else is installed there. A thread imports
 * it once: an edit takes effect when the process is started again, and does not change the hash of any configuration.
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
  const exportedSource = sourceIn(exported, connector);
  const known = loaded.get(exportedSource);
  if (known !== undefined) return known;
  const placed = withPlaces(exportedSource, { named, found });
  const source = placed.kind === "push" ? readFromInbox(placed) : placed;
  loaded.set(exportedSource, source);
  return source;
}

/** Advice on Node's own errors, by their codes. */
const hints: Readonly<Record<string, string>> = {
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    "Node strips types and nothing else: no enums, namespaces or parameter properties",
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
    "a package holds JavaScript: Node strips no types below node_modules",
};

/** Advice on an error of an import; undefined where its message says all. */
export function importHint(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // These come from Node's CommonJS loader, which gives them no code.
  if (/import statement outside a module|Unexpected token 'export'/.test(error.message)) {
    return 'its package.json makes it CommonJS: write `"type": "module"` there';
  }
  return hints[errorCodeOf(error)];
}

function importFault(error: unknown, { named, found }: Origin): ConfigError {
  const { place, said } = placedFault(error, { named, found });
  return new ConfigError(`${named.connector} cannot be loaded: ${place}: ${said}`, {
    cause: error,
    hint: importHint(error),
  });
}
