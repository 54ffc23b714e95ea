import { z } from "zod";

import type { Ranges } from "../../ranges.ts";
import type { Queries } from "../state-database.ts";

/** The most key lists that are remembered: those of requests that may still be applied are read again and again. */
const rememberedMax = 8;

/** Replaces a key that was erased: the numbers of the others must stay. */
export const forgottenKey = "(forgotten)";

const keysOf = z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text)));

/** The keys of stagings, in the order of their files; kept while a request of their set is pending. */
export class SentKeys {
  /** A list never changes once it is stored, except when a key is erased. */
  readonly #remembered = new Map<number, readonly string[]>();

  /** Keeps the keys of a staging, as a JSON array; to be called inside a transaction. */
  async put(queries: Queries, send: number, keys: string): Promise<void> {
    await queries
      .insertInto("sentKeys")
      .values({ send, keys })
      .onConflict((conflict) => conflict.column("send").doUpdateSet({ keys }))
      .execute();
  }

  /** Replaces a key by another text, wherever a list has it; to be called inside a transaction. */
  async replace(
    queries: Queries,
    { send, key, by }: { readonly send: number; readonly key: string; readonly by: string },
  ): Promise<void> {
    const keys = (await this.reread(queries, send)).map((each) => (each === key ? by : each));
    this.#remembered.delete(send);
    await this.put(queries, send, JSON.stringify(keys));
  }

  /** The keys of the records in `ranges`, with the numbers of the records; none if the keys are no longer kept. */
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
    return this.#remembered.get(send) ?? (await this.reread(queries, send));
  }

  /** The same as it is stored now: another process may have erased a key since this one read the list. */
  async reread(queries: Queries, send: number): Promise<readonly string[]> {
    this.#remembered.delete(send);
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
