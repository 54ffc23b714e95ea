import { createHash } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";

import type { Logger } from "pino";

import type { Config } from "../config/config.ts";

const lookEveryMs = 5_000;

/** Says in the log when the configuration file is not the one this process works with any more; returns how to stop. */
export function watchConfig({ file, fileHash }: Config, log: Logger): () => void {
  const look = (): void => {
    let hash: string;
    try {
      hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    } catch {
      return; // it is being written; the next look finds it
    }
    if (hash !== fileHash) log.warn(`${file} has changed: restart this process to work with it`);
  };
  watchFile(file, { interval: lookEveryMs, persistent: false }, look);
  return () => unwatchFile(file, look);
}
