import { hash } from "node:crypto";

import { StateUnavailableError } from "../../errors.ts";
import type { BegunStaging, StageName } from "../contract/sends/stagings.ts";
import { noSend, rememberedSend, type RememberedSend, rememberSend } from "../last-send-file.ts";
import type { Queries } from "../store/state-database.ts";
import type { PostgresDatabase } from "./database.ts";
import { hasLeft } from "./keys/look-up.ts";
import { wentBackHint } from "./restored.ts";
import { storeName, type StoreServer } from "./server.ts";
import { lastSendOf, noteRestored } from "./timeline.ts";

/** The length of a mark, in characters. */
const markChars = 16;

/** Distinguishes a staging from the one to which a store that went back gives the same number. */
function markOf({ runId, chunk, stage }: StageName): string {
  return hash("sha256", `${runId} ${chunk} ${stage}`).slice(0, markChars);
}

/** Whether a store has other stagings than those that were remembered, or knows of nothing that left. */
async function hasOthers(queries: Queries, { send, mark, left }: RememberedSend): Promise<boolean> {
  const found = await queries
    .selectFrom("stagings as s")
    .select(["s.send", "s.runId", "s.chunk", "s.stage", "s.state", hasLeft.as("hasLeft")])
    .where("s.send", "in", [send, left])
    .execute();
  return found.some((one) => {
    const isAnothers = one.send === send && mark !== undefined && markOf(one) !== mark;
    const isThere = one.hasLeft || one.state === "committed" || one.state === "cut";
    return isAnothers || (one.send === left && !isThere);
  });
}

/** What a process remembers of its store, outside the store. */
export type SendMemory = {
  /**
   * Draws a staging, and remembers it.
   * @throws {StateUnavailableError} the store went back since the previous staging: what it knows as sent is now
   * forgotten.
   */
  readonly watch: (
    chunk: Pick<StageName, "chunk" | "runId">,
    draw: () => Promise<BegunStaging>,
  ) => Promise<BegunStaging>;
  /** Remembers that something of a staging leaves, once the store says so, and before it does. */
  readonly leave: (send: number) => void;
  /** Makes a store that went back forget what it knows as sent, also while this process draws nothing. */
  readonly look: () => Promise<void>;
};

/**
 * Remembers the last staging that a process drew, and one of which something left, in memory and in the state folder of
 * its host, as a SQLite store does. This reveals a store that was restored from a backup: it has not drawn that number
 * yet, or for another staging, or knows of nothing that left. Everything that it knows as sent then becomes unknown.
 * The check is made when the store is opened, at each beat, and with each staging, because nobody has to stop for a
 * restore.
 */
export async function openSendMemory(
  database: PostgresDatabase,
  of: {
    readonly server: StoreServer;
    readonly storeId: string;
    /** @default only this process remembers */
    readonly stateFolder: string | undefined;
  },
): Promise<SendMemory> {
  const { server, storeId, stateFolder } = of;
  const { queries } = database.state;
  // The file first: a send that is drawn meanwhile is in the store before it is in the file.
  let last = stateFolder === undefined ? noSend : rememberedSend(stateFolder, storeId);

  const keep = (): void => {
    if (stateFolder !== undefined) rememberSend(stateFolder, storeId, last);
  };
  const noteBack = async ({ send, mark }: RememberedSend): Promise<void> => {
    await database.lockAndWrite(
      async (transaction) => await noteRestored(transaction, server, send),
    );
    database.forget();
    // The store never learns what left: it would count as gone back each time that a process starts.
    last = { send, mark, left: 0 };
    keep();
    last = noSend;
  };
  const look = async (): Promise<void> => {
    const before = last;
    if (before.send + before.left === 0) return;
    const drawn = await lastSendOf(queries, server);
    const isBehind = drawn !== undefined && before.send > drawn;
    if (isBehind || (await hasOthers(queries, before))) await noteBack(before);
  };
  await look();
  return {
    look,
    watch: async (chunk, draw) => {
      const before = last;
      const drawn = await draw();
      if (drawn.send <= before.send || (await hasOthers(queries, before))) {
        await noteBack(before);
        throw new StateUnavailableError(
          `${storeName(server)} went back to what it was: a backup was restored`,
          { hint: wentBackHint },
        );
      }
      // The later of two drawn at once is kept.
      if (drawn.send > last.send) {
        const mark = markOf({ ...chunk, stage: drawn.stage });
        last = { ...last, send: drawn.send, mark };
        keep();
      }
      return drawn;
    },
    leave: (send) => {
      if (send === last.left) return;
      last = { ...last, left: send };
      keep();
    },
  };
}
