import { sql } from "kysely";
import { z } from "zod";

import { createKeyHashes, type KeyHashes } from "../../rules/keys/key-hashes.ts";
import { sipBytes } from "../../rules/keys/sip-hash.ts";
import type { Queries } from "../../store/state-database.ts";
import type { PostgresDatabase } from "../database.ts";
import { SeenByRuns } from "./sightings.ts";

const secretRow = z.object({
  value: z
    .hex()
    .length(2 * sipBytes)
    .transform((text) => Buffer.from(text, "hex")),
});

/** What all parts of a store that deal with keys share. */
export class StoreKeys {
  readonly database: PostgresDatabase;
  readonly seen = new SeenByRuns();
  /** For each set, the last run whose first transaction folded what earlier ones saw. */
  readonly folded = new Map<number, string>();
  readonly #numberBits: number | undefined;
  #hashesOf: KeyHashes | undefined;

  constructor(database: PostgresDatabase, numberBits: number | undefined) {
    this.database = database;
    this.#numberBits = numberBits;
  }

  /** Hashes keys under the secret of the store, which never changes. */
  async hashes(queries: Queries): Promise<KeyHashes> {
    if (this.#hashesOf === undefined) {
      const { rows } = await sql`
        select value from ${sql.table("meta")} where name = 'key_secret'`.execute(queries);
      this.#hashesOf = createKeyHashes(secretRow.parse(rows[0]).value, this.#numberBits);
    }
    return this.#hashesOf;
  }
}
