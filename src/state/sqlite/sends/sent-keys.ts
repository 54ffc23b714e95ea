import { z } from "zod";

import type { Ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";

/** Key lists that are remembered as they were read: what may still land is asked for again and again. */
const rememberedMax = 8;

const keysRow = z.object({
  keys: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
});

/** The keys of what was staged, in the order of its file: kept while a request of their set is pending. */
export type SentKeys = {
  /** Keeps the keys of a staging, as a JSON array; to be called inside a transaction. */
  put(send: number, keys: string): void;
  /** The keys of the records in `ranges`, with the numbers of these; none when they are not kept any more. */
  of(send: number, ranges: Ranges): [key: string, record: number][];
  /** The keys of a whole staging. */
  all(send: number): readonly string[];
};

/** The key lists of a SQLite store. */
export function createSentKeys(db: Database): SentKeys {
  const insert = db.prepare("insert or replace into sent_keys (send, keys) values ($send, $keys)");
  const select = db.prepare("select keys from sent_keys where send = $send");
  const remembered = new Map<number, readonly string[]>();
  const read = (send: number): readonly string[] => {
    const known = remembered.get(send);
    if (known !== undefined) return known;
    const { keys = [] } = first(keysRow, select, { send }) ?? {};
    if (remembered.size >= rememberedMax) remembered.clear();
    if (keys.length > 0) remembered.set(send, keys);
    return keys;
  };
  return {
    put: (send, keys) => void insert.run({ send, keys }),
    of: (send, ranges) => {
      const keys = read(send);
      return ranges.flatMap(([from, to]) =>
        keys.slice(from, to).map((key, at): [string, number] => [key, from + at]),
      );
    },
    all: read,
  };
}
