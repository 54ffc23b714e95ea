import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

import { makePrivateFile } from "../../security/private-file.ts";
import type { Database } from "./database.ts";
import { count } from "./database.ts";

/** The file beside a store's that remembers the number of its last send. */
export function lastSendFile(file: string): string {
  return join(dirname(file), "last-send");
}

/**
 * Digits of a send's number in the file: it never changes its length, so that a write never leaves half of it
 * behind.
 */
const digits = 16;

function remembered(file: string, storeId: string): number {
  try {
    const [store, send] = readFileSync(lastSendFile(file), "utf8").split(" ");
    return store === storeId ? Number(send) || 0 : 0;
  } catch {
    // Without the file a restored store cannot be told from any other.
    return 0;
  }
}

/**
 * Remembers the last send outside the store, so that a store which was restored from a backup shows. What was
 * sent after the backup may have changed what the service holds: when the store is opened, its fingerprints
 * become unknown, because unknown is always sent.
 */
export function createLastSend(db: Database, file: string): { readonly remember: () => void } {
  const drawn = db.prepare("select seq from sqlite_sequence where name = 'stagings'");
  const addDrawn = db.prepare("insert into sqlite_sequence (name, seq) values ('stagings', $send)");
  const setDrawn = db.prepare("update sqlite_sequence set seq = $send where name = 'stagings'");
  const forget = db.prepare("update fingerprint_sets set valid_after = $send, is_restored = 1");
  // The file first: a send that is drawn meanwhile is in the store before it is in the file.
  if (remembered(file, db.storeId) > count(drawn)) {
    db.write(() => {
      const send = remembered(file, db.storeId);
      if (send <= count(drawn)) return;
      forget.run({ send });
      // The numbers of sends that are not known any more are not given again.
      if (setDrawn.run({ send }).changes === 0) addDrawn.run({ send });
    });
  }
  return {
    // Under the lock of the store, so that of two processes the later number stays.
    remember: () => db.write(() => write(file, db.storeId, count(drawn))),
  };
}

function write(file: string, storeId: string, send: number): void {
  const path = lastSendFile(file);
  makePrivateFile(path);
  const descriptor = openSync(path, "r+");
  try {
    writeSync(descriptor, `${storeId} ${String(send).padStart(digits, "0")}\n`, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
