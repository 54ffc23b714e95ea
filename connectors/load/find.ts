import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { z } from "zod";

import { isMissing, readFault } from "../../src/config/document/read-fault.ts";
import { externalName, type ExternalName } from "../../src/config/external.ts";
import { closest, didYouMean } from "../../src/config/messages/did-you-mean.ts";
import { ConfigError, errorCodeOf } from "../../src/errors.ts";
import { version } from "../../src/version.ts";
import { connectorApi } from "../contract/version.ts";
import { packageSpecifier } from "./resolve.ts";

/** A module that a configuration names. */
export type FoundModule = {
  /** The specifier to import. */
  readonly specifier: string;
  /** Its file, or the package.json of its package. */
  readonly file: string;
};

/**
 * Finds the module of an external connector.
 * @throws {ConfigError} it is not there, or its package is made for another version of the interface.
 */
export async function findModule(
  named: ExternalName,
  builtIn: readonly string[],
): Promise<FoundModule> {
  const { connector } = named;
  if (!externalName.test(connector)) {
    throw new ConfigError(
      `no connector has the name "${connector}"${didYouMean(connector, builtIn)}`,
      {
        hint: `there are ${builtIn.join(", ")}; a path begins with ./, and a package is called sluice-connector-*`,
      },
    );
  }
  const found = /^[./]/.test(connector) ? await findFile(named, builtIn) : findPackage(named);
  assertSameInterface(connector, found.file);
  return found;
}

/** The module files of a folder; the first one that exists is taken. */
const indexes = ["index.ts", "index.js"] as const;

async function findFile(
  { connector, folder }: ExternalName,
  builtIn: readonly string[],
): Promise<FoundModule> {
  const path = resolve(folder, connector);
  try {
    if (!(await stat(path)).isDirectory()) return fileModule(path);
  } catch (error) {
    if (!isMissing(error)) throw new ConfigError(`${connector}: ${readFault(error)}`);
    const near = await nearText(path, { connector, builtIn });
    throw new ConfigError(`there is no file ${connector}${near}`, {
      hint: near === "" ? "`sluice connector new <name>` writes one" : undefined,
    });
  }
  for (const index of indexes) {
    const file = join(path, index);
    if (await isFile(file)) return fileModule(file);
  }
  throw new ConfigError(`the folder ${connector} holds neither ${indexes.join(" nor ")}`);
}

function fileModule(file: string): FoundModule {
  return { specifier: pathToFileURL(file).href, file };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw new ConfigError(`${path}: ${readFault(error)}`);
  }
}

/** Suggests a built-in connector with a similar name, otherwise a file beside it; empty for neither. */
async function nearText(
  path: string,
  { connector, builtIn }: { readonly connector: string; readonly builtIn: readonly string[] },
): Promise<string> {
  const name = basename(path);
  const stem = name.replace(/\.[jt]s$/, "");
  const own = closest(stem, builtIn);
  if (own !== undefined) return ` (did you mean "${own}"?)`;
  const beside = await readdir(dirname(path)).catch(() => []);
  const near = beside.find((one) => one.startsWith(`${stem}.`)) ?? closest(name, beside);
  if (near === undefined) return "";
  const written = connector.replace(/\/$/, "");
  return ` (did you mean "${written.slice(0, written.length - name.length)}${near}"?)`;
}

function findPackage({ connector, folder }: ExternalName): FoundModule {
  const from = join(folder, "sluice.yaml");
  const file = packageFile(connector, from);
  if (file === undefined) {
    throw new ConfigError(`no package ${connector} is installed for this folder`, {
      hint: `install it: \`npm install ${connector}\``,
    });
  }
  return { specifier: packageSpecifier(connector, from), file };
}

/** The package.json of a package as a file's imports find it; undefined where it is not installed. */
function packageFile(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, from);
  } catch (error) {
    if (errorCodeOf(error) === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const manifest = z.object({ version: z.string().default("?"), connectorApi: z.int() });

/**
 * Checks which interface a connector was written for, by the sluice package beside it: its imports get this copy.
 * @throws {ConfigError} that is another version of the interface.
 */
function assertSameInterface(connector: string, file: string): void {
  const beside = packageFile("sluice", file);
  if (beside === undefined) return;
  const { success, data: found } = manifest.safeParse(JSON.parse(readFileSync(beside, "utf8")));
  if (!success || found.connectorApi === connectorApi.version) return;
  throw otherInterface(connector, `${found.connectorApi} (sluice ${found.version})`);
}

/** The error for a connector that is made for another version of the interface. */
export function otherInterface(connector: string, made: string): ConfigError {
  return new ConfigError(
    `${connector} is made for version ${made} of the connector interface, and this sluice ${version} has ` +
      `version ${connectorApi.version}`,
    { hint: "install a sluice and a connector that belong together" },
  );
}
