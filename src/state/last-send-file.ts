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

/** What is remembered of a store. */
export type RememberedSend = {
  /** The number of its last send; 0 for none. */
  readonly send: number;
  /** Tells that send from another one of its number, always with as many characters; undefined where nobody asks. */
  readonly mark?: string | undefined;
};

/** What a state folder remembers of a store; of another store nothing. */
export function rememberedSend(stateFolder: string, storeId: string): RememberedSend {
  try {
    // Behind the end of the line is what is left of a longer one.
    const [line = ""] = readFileSync(lastSendFileIn(stateFolder), "utf8").split("\n");
    const [store, send, mark] = line.split(" ");
    return store === storeId ? { send: Number(send) || 0, mark } : { send: 0 };
  } catch {
    // Without the file a restored store cannot be told from any other.
    return { send: 0 };
  }
}

/** Remembers a store's last send, durably. */
export function rememberSend(
  stateFolder: string,
  storeId: string,
  { send, mark }: RememberedSend,
): void {
  const path = lastSendFileIn(stateFolder);
  makePrivateFile(path);
  const descriptor = openSync(path, "r+");
  try {
    const words = [
      storeId,
      String(send).padStart(digits, "0"),
      ...(mark === undefined ? [] : [mark]),
    ];
    writeSync(descriptor, `${words.join(" ")}\n`, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
