import { sql } from "kysely";

import { StateUnavailableError } from "../../errors.ts";
import type { Queries } from "../store/state-database.ts";
import { storeName, type StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { noteRestored, tellsTimeline, timelineName } from "./timeline.ts";
import type { FoundTimeline } from "./version.ts";

/** What is to be done about a store that went back. */
export const wentBackHint =
  "nothing: records that may be lost are sent again, and waiting work continues by itself";

/** Thrown inside a transaction that finds the store on another timeline than it was, or than its process knew. */
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

  /** Whether the server tells its timeline; asked until it has answered. */
  async isTold(): Promise<boolean> {
    this.#tells ??= tellsTimeline(this.#queries);
    try {
      return await this.#tells;
    } catch (error) {
      this.#tells = undefined;
      throw error;
    }
  }

  /** Whether all is as it was. A store that was never written on any is on its first. */
  isSame({ now, known }: FoundTimeline): boolean {
    if (now === null) return true;
    const isSame = known === now && (this.#known === undefined || this.#known === now);
    if (isSame) this.#known = now;
    return isSame;
  }

  /**
   * Forgets what may be lost, in the store where no other process has done so, and in this process. Answers the error
   * of the call that noticed, which began with what may never have been; undefined where the process has remembered
   * nothing yet, or the store is on its first: then the call is made again.
   */
  async noted({ found }: OtherTimeline): Promise<StateUnavailableError | undefined> {
    const { now, known } = found;
    const noting = this.#queries.transaction().execute(async (transaction) => {
      // Whoever changes the fact is the one who forgets.
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
