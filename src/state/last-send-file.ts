import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { makePrivateFile } from "../security/private-file.ts";

/** The file in a state folder that remembers the number of its store's last send. */
export function lastSendFileIn(stateFolder: string): string {
  return join(stateFolder, "last-send");
}

/**
 * Digits of a send's number in the file: it never changes its length, so that a write never leaves half of it
 * behind.
 */
const digits = 16;

/** The number that a state folder remembers of a store; 0 for none, or of another store. */
export function rememberedSend(stateFolder: string, storeId: string): number {
  try {
    const [store, send] = readFileSync(lastSendFileIn(stateFolder), "utf8").split(" ");
    return store === storeId ? Number(send) || 0 : 0;
  } catch {
    // Without the file a restored store cannot be told from any other.
    return 0;
  }
}

/** Remembers the number of a store's last send, durably. */
export function rememberSend(stateFolder: string, storeId: string, send: number): void {
  const path = lastSendFileIn(stateFolder);
  makePrivateFile(path);
  const descriptor = openSync(path, "r+");
  try {
    writeSync(descriptor, `${storeId} ${String(send).padStart(digits, "0")}\n`, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
