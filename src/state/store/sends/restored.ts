import type { Remote } from "../../../thread.ts";
import type { RestoreStore } from "../../contract/sends/last-send.ts";
import { findSet } from "../keys/fingerprint-sets.ts";
import { reads, writes } from "../methods.ts";
import type { StateDatabase } from "../state-database.ts";

/** Whether a store was restored from a backup, for each sync. */
export function createRestoreStore(db: StateDatabase): Remote<RestoreStore> {
  return {
    isRestored: reads(
      db,
      async (queries, name: Parameters<RestoreStore["isRestored"]>[0]) =>
        (await findSet(queries, name))?.isRestored === true,
    ),
    tellRestored: writes(
      db,
      async (queries, { target, sync }: Parameters<RestoreStore["tellRestored"]>[0]) => {
        await queries
          .updateTable("fingerprintSets")
          .set({ isRestored: 0 })
          .where("target", "=", target)
          .where("sync", "=", sync)
          .execute();
      },
    ),
  };
}
