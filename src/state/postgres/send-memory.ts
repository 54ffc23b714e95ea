import { hash } from "node:crypto";

import { StateUnavailableError } from "../../errors.ts";
import type { BegunStaging, StageName } from "../contract/sends/stagings.ts";
import { rememberedSend, type RememberedSend, rememberSend } from "../last-send-file.ts";
import type { PostgresDatabase } from "./database.ts";
import { wentBackHint } from "./restored.ts";
import { storeName, type StoreServer } from "./server.ts";
import { lastSendOf, noteRestored } from "./timeline.ts";

/** The length of a mark, in characters. */
const markChars = 16;

const nothing: RememberedSend = { send: 0 };

/** Distinguishes a staging from the one to which a store that went back gives the same number. */
function markOf({ runId, chunk, stage }: StageName): string {
  return hash("sha256", `${runId} ${chunk} ${stage}`).slice(0, markChars);
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
  /** Makes a store that went back forget what it knows as sent, also while this process draws nothing. */
  readonly look: () => Promise<void>;
};

/**
 * Remembers the last staging that a process drew, in memory and in the state folder of its host, as a SQLite store
 * does. This reveals a store that was restored from a backup: it has not drawn that number yet, or for another staging.
 * Everything that it knows as sent then becomes unknown. The check is made when the store is opened, at each beat, and
 * with each staging, because nobody has to stop for a restore.
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
  let last = stateFolder === undefined ? nothing : rememberedSend(stateFolder, storeId);

  const isAnothers = async ({ send, mark }: RememberedSend): Promise<boolean> => {
    if (mark === undefined) return false;
    const found = await queries
      .selectFrom("stagings")
      .select(["runId", "chunk", "stage"])
      .where("send", "=", send)
      .executeTakeFirst();
    return found !== undefined && markOf(found) !== mark;
  };
  const noteBack = async ({ send }: RememberedSend): Promise<void> => {
    await database.lockAndWrite(
      async (transaction) => await noteRestored(transaction, server, send),
    );
    database.forget();
    last = nothing;
  };
  const look = async (): Promise<void> => {
    const before = last;
    if (before.send === 0) return;
    const drawn = await lastSendOf(queries, server);
    const isBehind = drawn !== undefined && before.send > drawn;
    if (isBehind || (await isAnothers(before))) await noteBack(before);
  };
  const remember = (drawn: RememberedSend): void => {
    // The later of two drawn at once is kept.
    if (drawn.send <= last.send) return;
    last = drawn;
    if (stateFolder !== undefined) rememberSend(stateFolder, storeId, drawn);
  };
  await look();
  return {
    look,
    watch: async (chunk, draw) => {
      const before = last;
      const drawn = await draw();
      if (drawn.send <= before.send || (await isAnothers(before))) {
        await noteBack(before);
        throw new StateUnavailableError(
          `${storeName(server)} went back to what it was: a backup was restored`,
          { hint: wentBackHint },
        );
      }
      remember({ send: drawn.send, mark: markOf({ ...chunk, stage: drawn.stage }) });
      return drawn;
    },
  };
}
