import { createHash } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import type { Config } from "../../config/config.ts";
import { messageOf } from "../../errors.ts";
import { changeLookMs } from "../limits.ts";

const lookEveryMs = 5_000;

/** Sha256 of a file; undefined while it is not there, or is being written. */
function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return undefined;
  }
}

/** Logs when the configuration file is no longer the one that this process works with; returns how to stop. */
export function watchConfig({ file, fileHash }: Config, log: Logger): () => void {
  const look = (): void => {
    const hash = hashOf(file);
    if (hash === undefined) return; // the next look finds it
    if (hash !== fileHash) log.warn(`${file} has changed: restart this process to work with it`);
  };
  look(); // the watch calls it for what is written from now on
  watchFile(file, { interval: lookEveryMs, persistent: false }, look);
  return () => unwatchFile(file, look);
}

/** A configuration, and the `.env` beside it as it was when it was read, by its hash. */
export type ReadConfig = { readonly config: Config; readonly env: string | undefined };

function envOf({ folder }: Config): string {
  return join(folder, ".env");
}

/** A configuration that was read just now. */
export function justRead(config: Config): ReadConfig {
  return { config, env: hashOf(envOf(config)) };
}

/** The mapping modules of a configuration as it read them: the hash of each by its path. */
function modulesOf({ syncs }: Config): ReadonlyMap<string, string> {
  const modules = [...syncs.values()].flatMap(({ recordModule }) => recordModule ?? []);
  return new Map(modules.map(({ path, hash }) => [path, hash]));
}

/**
 * Waits until the files of a configuration have changed since they were `tried`, and are valid; logs what is wrong with
 * them meanwhile. `tried` is not the configuration in use if it could not be started.
 * @returns the new configuration; undefined once the signal aborts.
 */
export async function changedConfig(
  used: ReadConfig,
  load: () => Promise<Config>,
  how: {
    readonly tried: ReadConfig;
    readonly warn: (text: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<ReadConfig | undefined> {
  const { tried, warn, signal } = how;
  const { config } = used;
  const modules = modulesOf(config);
  // By the files as they were read: anything written since then, such as during a start, is a change already.
  const lookOf = (read: ReadConfig): string => {
    const theirs = modulesOf(read.config);
    const hashes = [...modules].map(([path, hash]) => theirs.get(path) ?? hash);
    return [read.config.fileHash, read.env, ...hashes].join(" ");
  };
  const own = lookOf(used);
  let seen = lookOf(tried);
  for (;;) {
    await delay(changeLookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const env = hashOf(envOf(config));
    const now = [hashOf(config.file), env, ...[...modules.keys()].map(hashOf)].join(" ");
    if (now === seen) continue;
    seen = now;
    if (now === own) continue; // it was changed back
    try {
      const next = await load();
      if (next.stateFolder === config.stateFolder) return { config: next, env };
      warn(`${config.file} has changed its \`state\`: restart this process to work with it`);
    } catch (error) {
      warn(`${config.file} has changed and is not used: ${messageOf(error)}`);
    }
  }
}
