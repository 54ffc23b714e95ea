import { z } from "zod";

import type { Ranges } from "../../ranges.ts";
import type { Queries } from "../state-database.ts";

/** Key lists that are remembered as they were read: what may still land is asked for again and again. */
const rememberedMax = 8;

/** What takes the place of a key that was erased: the numbers of the others must stay. */
export const forgottenKey = "(forgotten)";

const keysOf = z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text)));

/** The keys of what was staged, in the order of its file: kept while a request of their set is pending. */
export class SentKeys {
  /** A list never changes once it is there, but for a key that is erased. */
  readonly #remembered = new Map<number, readonly string[]>();

  /** Keeps the keys of a staging, as a JSON array; to be called inside a transaction. */
  async put(queries: Queries, send: number, keys: string): Promise<void> {
    await queries
      .insertInto("sentKeys")
      .values({ send, keys })
      .onConflict((conflict) => conflict.column("send").doUpdateSet({ keys }))
      .execute();
  }

  /** Puts another text in the place of a key, wherever a list has it; to be called inside a transaction. */
  async replace(
    queries: Queries,
    { send, key, by }: { readonly send: number; readonly key: string; readonly by: string },
  ): Promise<void> {
    const keys = (await this.all(queries, send)).map((each) => (each === key ? by : each));
    this.#remembered.delete(send);
    await this.put(queries, send, JSON.stringify(keys));
  }

  /** The keys of the records in `ranges`, with the numbers of these; none when they are not kept any more. */
  async of(
    queries: Queries,
    send: number,
    ranges: Ranges,
  ): Promise<[key: string, record: number][]> {
    const keys = await this.all(queries, send);
    return ranges.flatMap(([from, to]) =>
      keys.slice(from, to).map((key, at): [string, number] => [key, from + at]),
    );
  }

  /** The keys of a whole staging. */
  async all(queries: Queries, send: number): Promise<readonly string[]> {
    const known = this.#remembered.get(send);
    if (known !== undefined) return known;
    const found = await queries
      .selectFrom("sentKeys")
      .select("keys")
      .where("send", "=", send)
      .executeTakeFirst();
    const keys = found === undefined ? [] : keysOf.parse(found.keys);
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear();
    if (keys.length > 0) this.#remembered.set(send, keys);
    return keys;
  }
}
