import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { Source } from "../../../connectors/contract/connector.ts";
import type { PushSource } from "../../../connectors/contract/push.ts";
import { findModule } from "../../../connectors/load/find.ts";
import { loadConnector } from "../../../connectors/load/load.ts";
import type { PullBench, PushBench } from "../../../testing/bench.ts";
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

/** As a connection would name it: only there a path needs a dot, to be told from the name of one of ours. */
function nameOf({ path, cwd }: ConnectorPath): ExternalName {
  if (path === "") throw new ConfigError("the path of the connector is empty");
  return { connector: /^\.{0,2}\//.test(path) ? path : `./${path}`, folder: cwd };
}

/**
 * The bench of a source that is read, and that is loaded already: `sluice/testing` is found only then.
 * @throws {ConfigError} there is none, or it is not one for such a source.
 */
export async function loadPullBench(at: ConnectorPath): Promise<PullBench> {
  const { bench, shown } = await loadBench(at);
  if (isPullBench(bench)) return bench;
  throw new ConfigError(
    `the \`bench\` of ${shown} is none for a source that is read: it needs \`config\`, which is an object, and the functions \`fill\` and \`empty\``,
  );
}

/** The same of a source that is pushed to. */
export async function loadPushBench(at: ConnectorPath): Promise<PushBench> {
  const { bench, shown } = await loadBench(at);
  if (isPushBench(bench)) return bench;
  throw new ConfigError(
    `the \`bench\` of ${shown} is none for a source that is pushed to: it needs \`config\`, which is an object, and the function \`bodyOf\``,
  );
}

async function loadBench(
  at: ConnectorPath,
): Promise<{ readonly bench: unknown; readonly shown: string }> {
  const file = await benchFile(at);
  if (file === undefined) {
    throw new ConfigError(`${at.path} has no bench: there is no bench.ts beside it`, {
      hint: `\`sluice connector new ${at.path} --harness\` writes one: a source to try the connector on`,
    });
  }
  const shown = relative(at.cwd, file);
  return { bench: await makeBench(file, shown), shown };
}

const benches = ["bench.ts", "bench.js"] as const;

/** Undefined when there is none. */
async function benchFile(at: ConnectorPath): Promise<string | undefined> {
  const path = resolve(at.cwd, at.path);
  const folder = (await stat(path)).isDirectory() ? path : dirname(path);
  for (const name of benches) {
    try {
      if ((await stat(join(folder, name))).isFile()) return join(folder, name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** What a file exports as `bench`, made where it is a function. */
async function makeBench(file: string, shown: string): Promise<unknown> {
  let exported: unknown;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError(`${shown} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
  const { bench, ...others } = { ...membersOf(exported) };
  if (bench === undefined) {
    const names = Object.keys(others);
    const has = names.length === 0 ? "nothing" : `only ${names.join(", ")}`;
    throw new ConfigError(`${shown} exports no \`bench\`: it exports ${has}`);
  }
  if (!isMaker(bench)) return bench;
  try {
    return await bench();
  } catch (error) {
    throw new ConfigError(`the bench of ${shown} cannot be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isMaker(bench: unknown): bench is () => unknown {
  return typeof bench === "function";
}

function isPullBench(bench: unknown): bench is PullBench {
  const { config, fill, empty } = membersOf(bench);
  return isConfig(config) && typeof fill === "function" && typeof empty === "function";
}

function isPushBench(bench: unknown): bench is PushBench {
  const { config, bodyOf } = membersOf(bench);
  return isConfig(config) && typeof bodyOf === "function";
}

function isConfig(config: unknown): boolean {
  return typeof config === "object" && config !== null && !Array.isArray(config);
}
