import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { makePrivateFile } from "../security/private-file.ts";

/** The file in a state folder that remembers the last sends of its store. */
export function lastSendFileIn(stateFolder: string): string {
  return join(stateFolder, "last-send");
}

/** Digits of a send's number in the file. Its length never changes, so that no write leaves half of a number behind. */
const digits = 16;

/** What a state folder remembers of its store. */
export type RememberedSend = {
  /** The number of the send that was staged last; 0 for none. */
  readonly send: number;
  /** The number of a send of which something left; 0 for none. A send may be staged for days before it leaves. */
  readonly left: number;
  /** Distinguishes `send` from another with its number; its length never varies. Undefined where it is not used. */
  readonly mark?: string | undefined;
};

/** The memory of a folder that remembers nothing. */
export const noSend: RememberedSend = { send: 0, left: 0 };

/** In the file, instead of a mark that is not used. */
const noMark = "-";

/** Returns what a state folder remembers of a store: `noSend` if that is nothing, or of another store. */
export function rememberedSend(stateFolder: string, storeId: string): RememberedSend {
  try {
    // Text after the first line is left over from a longer one.
    const [line = ""] = readFileSync(lastSendFileIn(stateFolder), "utf8").split("\n");
    const [store, send, mark, left] = line.split(" ");
    if (store !== storeId) return noSend;
    const numbers = { send: Number(send) || 0, left: Number(left) || 0 };
    return mark === noMark ? numbers : { ...numbers, mark };
  } catch {
    // Without the file, a restored store cannot be recognized.
    return noSend;
  }
}

/** Durably remembers a store's last sends. */
export function rememberSend(
  stateFolder: string,
  storeId: string,
  { send, mark = noMark, left }: RememberedSend,
): void {
  const path = lastSendFileIn(stateFolder);
  makePrivateFile(path);
  const descriptor = openSync(path, "r+");
  try {
    const [sendWord, leftWord] = [send, left].map((n) => String(n).padStart(digits, "0"));
    writeSync(descriptor, `${storeId} ${sendWord} ${mark} ${leftWord}\n`, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
