import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** The same as this file's: `.ts` when run from source, `.js` when built. */
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** The entries of this package, as package.json has them, and the files of this copy after them. */
const entries: ReadonlyMap<string, string> = new Map(
  [
    ["sluice/connector", "../index"],
    ["sluice/testing", "../../testing/index"],
  ].map(([name = "", file = ""]) => [name, new URL(`${file}${extension}`, import.meta.url).href]),
);

type Package = { readonly name: string; readonly from: string };

/** Packages that were asked for, by the specifier that is imported for them. */
const packages = new Map<string, Package>();

/** The specifier of a package as a file's own imports would find it: a plain import would look from this file. */
export function packageSpecifier(name: string, from: string): string {
  const specifier = `sluice-package:${from}:${name}`;
  packages.set(specifier, { name, from: pathToFileURL(from).href });
  return specifier;
}

let isResolving = false;

/**
 * Resolves the imports of this thread so that an external connector shares our classes, secrets and errors, whatever
 * copy of sluice is installed beside it, and needs no copy.
 */
export function resolveOwnImports(): void {
  if (isResolving) return;
  isResolving = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = entries.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      const asked = packages.get(specifier);
      if (asked !== undefined) return next(asked.name, { ...context, parentURL: asked.from });
      if (specifier !== "zod") return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        // A folder without packages, read by a sluice that is installed elsewhere: the connector's schemas are then
        // made by our zod.
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
