import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { makePrivateFile } from "../security/private-file.ts";

/** The file of a state folder that remembers the number of the last send of its store, outside of the store. */
export function lastSendFile(folder: string): string {
  return join(folder, "last-send");
}

/**
 * Digits of a send's number in the file: it never changes its length, so that a write never leaves half of it
 * behind.
 */
const digits = 16;

/** The last send of a store that was remembered in a folder; 0 where none was. */
export function rememberedSend(folder: string, storeId: string): number {
  try {
    const [store, send] = readFileSync(lastSendFile(folder), "utf8").split(" ");
    return store === storeId ? Number(send) || 0 : 0;
  } catch {
    // Without the file a restored store cannot be told from any other.
    return 0;
  }
}

/** Remembers the last send of a store. */
export function rememberSend(folder: string, storeId: string, send: number): void {
  const path = lastSendFile(folder);
  makePrivateFile(path);
  const descriptor = openSync(path, "r+");
  try {
    writeSync(descriptor, `${storeId} ${String(send).padStart(digits, "0")}\n`, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
