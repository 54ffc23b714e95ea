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

/** Files beside `sluice.yaml` that decide what a configuration says: variables and mapping modules. */
function besides({ folder, syncs }: Config): readonly string[] {
  const modules = [...syncs.values()].flatMap(({ recordModule }) => recordModule?.path ?? []);
  return [join(folder, ".env"), ...modules];
}

/**
 * Waits until the files of a configuration have changed since they were `tried`, and are valid; logs what is wrong with
 * them meanwhile. `tried` is not the configuration in use if it could not be started.
 * @returns the new configuration; undefined once the signal aborts.
 */
export async function changedConfig(
  config: Config,
  load: () => Promise<Config>,
  how: {
    readonly tried: Config;
    readonly warn: (text: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<Config | undefined> {
  const { tried, warn, signal } = how;
  const files = besides(config);
  const look = (main: string | undefined): string => [main, ...files.map(hashOf)].join(" ");
  // By the file as it was read: anything written since then is a change already.
  const own = look(config.fileHash);
  let seen = look(tried.fileHash);
  for (;;) {
    await delay(changeLookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const now = look(hashOf(config.file));
    if (now === seen) continue;
    seen = now;
    if (now === own) continue; // it was changed back
    try {
      const next = await load();
      if (next.stateFolder === config.stateFolder) return next;
      warn(`${config.file} has changed its \`state\`: restart this process to work with it`);
    } catch (error) {
      warn(`${config.file} has changed and is not used: ${messageOf(error)}`);
    }
  }
}
