import { sql } from "kysely";

import { StateUnavailableError } from "../../errors.ts";
import type { Queries } from "../store/state-database.ts";
import { storeName, type StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { noteRestored, tellsTimeline, timelineName } from "./timeline.ts";
import type { FoundTimeline } from "./version.ts";

/** What to do about a store that went back. */
export const wentBackHint =
  "nothing: records that may be lost are sent again, and waiting work continues by itself";

/** Thrown inside a transaction that finds the store on another timeline than before, or than its process knew. */
export class OtherTimeline extends Error {
  readonly found: FoundTimeline;

  constructor(found: FoundTimeline) {
    super("the store is on another timeline");
    this.found = found;
  }
}

/** Notices, in each transaction that writes, that a standby took over or that a backup was restored. */
export class Restored {
  readonly #queries: Queries;
  readonly #server: StoreServer;
  readonly #forget: (() => void)[] = [];
  #tells: Promise<boolean> | undefined;
  /** The timeline that this process has worked on; undefined before its first transaction. */
  #known: string | null | undefined;

  constructor(queries: Queries, server: StoreServer) {
    this.#queries = queries;
    this.#server = server;
  }

  onRestored(forget: () => void): void {
    this.#forget.push(forget);
  }

  /** Has this process forget what it remembers of the store. */
  forget(): void {
    for (const forget of this.#forget) forget();
  }

  /** Whether the server reports its timeline; asked until it has answered. */
  async isTold(): Promise<boolean> {
    this.#tells ??= tellsTimeline(this.#queries);
    try {
      return await this.#tells;
    } catch (error) {
      this.#tells = undefined;
      throw error;
    }
  }

  /** Whether the timeline is the same as before. False for a store that has noted none yet: it is on its first. */
  isSame({ now, known }: FoundTimeline): boolean {
    if (now === null) return true;
    const isSame = known === now && (this.#known === undefined || this.#known === now);
    if (isSame) this.#known = now;
    return isSame;
  }

  /**
   * Forgets what may be lost, in this process, and in the store unless another process has done so. Returns the error
   * for the call that noticed, which relied on data that may never have existed; undefined if the process has
   * remembered nothing yet, or the store is on its first timeline: then the call is made again.
   */
  async noted({ found }: OtherTimeline): Promise<StateUnavailableError | undefined> {
    const { now, known } = found;
    const noting = this.#queries.transaction().execute(async (transaction) => {
      // Only the process that changes the fact forgets.
      const { numAffectedRows = 0n } = await sql`
        insert into ${sql.table("meta")} as m (name, value) values (${timelineName}, ${now})
        on conflict (name) do update set value = excluded.value where m.value <> excluded.value`.execute(
        transaction,
      );
      if (numAffectedRows > 0n && known !== null) await noteRestored(transaction, this.#server);
    });
    await noting.catch((error: unknown) => {
      throw asStoreError(error, this.#server);
    });
    const wasKnown = this.#known;
    this.#known = now;
    if (known === null || wasKnown === undefined) return undefined;
    this.forget();
    return new StateUnavailableError(
      `${storeName(this.#server)} is on another timeline: a standby took over, or a backup was restored`,
      { hint: wentBackHint },
    );
  }
}
