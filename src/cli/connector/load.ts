import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { Source } from "../../../connectors/contract/connector.ts";
import type { PushSource } from "../../../connectors/contract/push.ts";
import { findModule } from "../../../connectors/load/find.ts";
import { importHint, loadConnector } from "../../../connectors/load/load.ts";
import type { PullHarness, PushHarness } from "../../../testing/harness.ts";
import { isMissing } from "../../config/document/read-fault.ts";
import type { ExternalName } from "../../config/external.ts";
import { membersOf } from "../../config/schema/members.ts";
import { ConfigError, messageOf } from "../../errors.ts";

/** A connector by its path, as somebody wrote it. */
export type ConnectorPath = { readonly path: string; readonly cwd: string };

/** Loads a connector. @throws {ConfigError} it is not there, or cannot be used. */
export async function loadSource(at: ConnectorPath): Promise<PushSource | Source> {
  const source = await loadConnector(nameOf(at), []);
  return source.push ?? source;
}

/** The file of a connector. @throws {ConfigError} it is not there. */
export async function fileOf(at: ConnectorPath): Promise<string> {
  return (await findModule(nameOf(at), [])).file;
}

/** The path as a connection writes it, with the dot that distinguishes it from the name of one of ours. */
function nameOf({ path, cwd }: ConnectorPath): ExternalName {
  if (path === "") throw new ConfigError("the path of the connector is empty");
  return { connector: /^\.{0,2}\//.test(path) ? path : `./${path}`, folder: cwd };
}

/**
 * The harness of a source that is read. To be called once the source is loaded: `sluice/testing` is found only then.
 * @throws {ConfigError} there is none, or it does not fit such a source.
 */
export async function loadPullHarness(at: ConnectorPath): Promise<PullHarness> {
  const { harness, shown } = await loadHarness(at);
  if (isPullHarness(harness)) return harness;
  throw new ConfigError(
    `the \`harness\` of ${shown} does not fit a source that is read: it needs \`config\`, ` +
      `which is an object, and the functions \`fill\` and \`empty\``,
  );
}

/** The same for a source that is pushed to. */
export async function loadPushHarness(at: ConnectorPath): Promise<PushHarness> {
  const { harness, shown } = await loadHarness(at);
  if (isPushHarness(harness)) return harness;
  throw new ConfigError(
    `the \`harness\` of ${shown} does not fit a source that is pushed to: it needs \`config\`, ` +
      `which is an object, and the function \`bodyOf\``,
  );
}

async function loadHarness(
  at: ConnectorPath,
): Promise<{ readonly harness: unknown; readonly shown: string }> {
  const file = await harnessFile(at);
  if (file === undefined) {
    throw new ConfigError(`${at.path} has no harness: there is no harness.ts beside it`, {
      hint: `\`sluice connector new ${at.path} --harness\` writes one: a source to try the connector on`,
    });
  }
  const shown = relative(at.cwd, file);
  return { harness: await makeHarness(file, shown), shown };
}

const harnesses = ["harness.ts", "harness.js"] as const;

/** Undefined when there is none. */
async function harnessFile(at: ConnectorPath): Promise<string | undefined> {
  const path = resolve(at.cwd, at.path);
  const folder = (await stat(path)).isDirectory() ? path : dirname(path);
  for (const name of harnesses) {
    try {
      if ((await stat(join(folder, name))).isFile()) return join(folder, name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** The `harness` that a file exports; if that is a function, its result. */
async function makeHarness(file: string, shown: string): Promise<unknown> {
  let exported: unknown;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError(`${shown} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
      hint: importHint(error),
    });
  }
  const { harness, ...others } = { ...membersOf(exported) };
  if (harness === undefined) {
    const names = Object.keys(others);
    const has = names.length === 0 ? "nothing" : `only ${names.join(", ")}`;
    throw new ConfigError(`${shown} exports no \`harness\`: it exports ${has}`);
  }
  if (!isMaker(harness)) return harness;
  try {
    return await harness();
  } catch (error) {
    throw new ConfigError(`the harness of ${shown} cannot be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isMaker(harness: unknown): harness is () => unknown {
  return typeof harness === "function";
}

function isPullHarness(harness: unknown): harness is PullHarness {
  const { config, fill, empty } = membersOf(harness);
  return isConfig(config) && typeof fill === "function" && typeof empty === "function";
}

function isPushHarness(harness: unknown): harness is PushHarness {
  const { config, bodyOf } = membersOf(harness);
  return isConfig(config) && typeof bodyOf === "function";
}

function isConfig(config: unknown): boolean {
  return typeof config === "object" && config !== null && !Array.isArray(config);
}
