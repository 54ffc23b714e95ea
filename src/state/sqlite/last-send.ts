import { dirname } from "node:path";

import { rememberedSend, rememberSend } from "../last-send-file.ts";
import type { Database } from "./database.ts";
import { count } from "./database.ts";

/**
 * Remembers the last send outside the store, to detect that the store was restored from a backup. What was sent after
 * the backup may have changed what the service holds. So when such a store is opened, its fingerprints become unknown,
 * because unknown is always sent, and a page that waits to be written is asked for again: what was pulled since may be
 * newer.
 */
export function createLastSend(db: Database, file: string): { readonly remember: () => void } {
  const folder = dirname(file);
  const drawn = db.prepare("select seq from sqlite_sequence where name = 'stagings'");
  const addDrawn = db.prepare("insert into sqlite_sequence (name, seq) values ('stagings', $send)");
  const setDrawn = db.prepare("update sqlite_sequence set seq = $send where name = 'stagings'");
  const forget = db.prepare("update fingerprint_sets set valid_after = $send, is_restored = 1");
  const askAgain = db.prepare(
    "update pulls set is_asking = 1 where (target, pull) in (select target, pull from pull_pages)",
  );
  const forgetPages = db.prepare("delete from pull_pages");
  // The file first: a send that is drawn meanwhile is in the store before it is in the file.
  if (rememberedSend(folder, db.storeId).send > count(drawn)) {
    db.write(() => {
      const { send } = rememberedSend(folder, db.storeId);
      if (send <= count(drawn)) return;
      forget.run({ send });
      askAgain.run();
      forgetPages.run();
      // The numbers of forgotten sends are not assigned again.
      if (setDrawn.run({ send }).changes === 0) addDrawn.run({ send });
    });
  }
  return {
    // Under the lock of the store, so that the later number of two processes stays.
    remember: () => db.write(() => rememberSend(folder, db.storeId, { send: count(drawn) })),
  };
}
