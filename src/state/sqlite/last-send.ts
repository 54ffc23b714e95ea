import { dirname } from "node:path";

import { rememberedSend, type RememberedSend, rememberSend } from "../last-send-file.ts";
import type { Database } from "./database.ts";
import { count } from "./database.ts";
import { hasLeftSql } from "./keys/staged/staged-keys.ts";

/** Remembers sends of a store outside it. */
export type LastSend = {
  /** To be called once a send is drawn, and before something of it may leave. */
  readonly remember: () => void;
  /** To be called once the store says that something of a send leaves, and before it does. */
  readonly leave: (send: number) => void;
};

/**
 * Remembers the last sends outside the store, to detect that the store was restored from a backup. What was sent after
 * the backup may have changed what the service holds. So when such a store is opened, its fingerprints become unknown,
 * because unknown is always sent, and a page that waits to be written is asked for again: what was pulled since may be
 * newer.
 */
export function createLastSend(db: Database, file: string): LastSend {
  const folder = dirname(file);
  const drawn = db.prepare("select seq from sqlite_sequence where name = 'stagings'");
  const notLeft = db.prepare(
    `select count(*) from stagings s
     where send = $left and state not in ('committed', 'cut') and not ${hasLeftSql}`,
  );
  const addDrawn = db.prepare("insert into sqlite_sequence (name, seq) values ('stagings', $send)");
  const setDrawn = db.prepare("update sqlite_sequence set seq = $send where name = 'stagings'");
  const forget = db.prepare("update fingerprint_sets set valid_after = $send, is_restored = 1");
  const askAgain = db.prepare(
    "update pulls set is_asking = 1 where (target, pull) in (select target, pull from pull_pages)",
  );
  const forgetPages = db.prepare("delete from pull_pages");
  const wentBack = ({ send, left }: RememberedSend): boolean =>
    send > count(drawn) || count(notLeft, { left }) > 0;
  let lastLeft = 0;
  // Under the lock of the store, so that the later number of two processes stays.
  const remember = (left: number): void =>
    db.write(() => rememberSend(folder, db.storeId, { send: count(drawn), left }));
  // The file first: a send that is drawn meanwhile is in the store before it is in the file.
  if (wentBack(rememberedSend(folder, db.storeId))) {
    db.write(() => {
      const last = rememberedSend(folder, db.storeId);
      if (!wentBack(last)) return;
      const send = Math.max(last.send, count(drawn));
      forget.run({ send });
      askAgain.run();
      forgetPages.run();
      // The numbers of forgotten sends are not assigned again.
      if (setDrawn.run({ send }).changes === 0) addDrawn.run({ send });
    });
    // The store never learns what left: it would be found restored each time that it is opened.
    remember(0);
  }
  return {
    remember: () => remember(lastLeft),
    leave: (send) => {
      if (send === lastLeft) return;
      remember(send);
      lastLeft = send;
    },
  };
}
