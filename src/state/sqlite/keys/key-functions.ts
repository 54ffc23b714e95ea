import { z } from "zod";

import type { HashedKeys, KeyHashes } from "../../rules/keys/key-hashes.ts";
import { sipBytes } from "../../rules/keys/sip-hash.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";

const secretRow = z.object({
  value: z
    .hex()
    .length(2 * sipBytes)
    .transform((text) => Buffer.from(text, "hex")),
});

/** Reads the secret of a store. */
export function secretOf(db: Database): Uint8Array {
  const found = db.prepare("select value from meta where name = 'key_secret'").get();
  return secretRow.parse(found).value;
}

/** Defines a key's number and tag in SQL, as `key_number(set, key)` and `key_tag(set, key)`; null without a key. */
export function defineKeyHashes(db: Database, hashesOf: KeyHashes): void {
  const hash = (setId: unknown, key: unknown): HashedKeys | undefined =>
    typeof key === "string" ? hashesOf(Number(setId), textBlockOf([key])) : undefined;
  db.define("key_number", (setId, key) => hash(setId, key)?.numbers[0] ?? null);
  db.define("key_tag", (setId, key) => hash(setId, key)?.tags ?? null);
}

/** Whether `f` is the fingerprint of a key in a set, in SQL. */
export const isOfKeySql = (setId: string, key: string): string =>
  `f.set_id = ${setId} and f.number = key_number(${setId}, ${key}) and f.tag = key_tag(${setId}, ${key})`;
