import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { makePrivateFile } from "../security/private-file.ts";

/** The file in a state folder that remembers the number of its store's last send. */
export function lastSendFileIn(stateFolder: string): string {
  return join(stateFolder, "last-send");
}

/** Digits of a send's number in the file. Its length never changes, so that no write leaves half of a number behind. */
const digits = 16;

/** What a state folder remembers of its store. */
export type RememberedSend = {
  /** The number of its last send; 0 for none. */
  readonly send: number;
  /** Distinguishes that send from another with its number; its length never varies. Undefined where it is not used. */
  readonly mark?: string | undefined;
};

/** Returns what a state folder remembers of a store: `send` is 0 if the folder remembers none, or another store. */
export function rememberedSend(stateFolder: string, storeId: string): RememberedSend {
  try {
    // Text after the first line is left over from a longer one.
    const [line = ""] = readFileSync(lastSendFileIn(stateFolder), "utf8").split("\n");
    const [store, send, mark] = line.split(" ");
    return store === storeId ? { send: Number(send) || 0, mark } : { send: 0 };
  } catch {
    // Without the file, a restored store cannot be recognized.
    return { send: 0 };
  }
}

/** Durably remembers a store's last send. */
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
