/** A source of numbers that are the same on every machine for the same seed. */
export type Random = {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with the probability `share`, from 0 to 1. */
  chance(share: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item;
};

/** Makes a generator of 32-bit numbers (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (limit) => next() % limit,
    chance: (share) => next() / 2 ** 32 < share,
    pick: (items) => {
      const item = items[next() % items.length];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}

/** A CSV field: in quotes, inner ones doubled, where it holds a comma, a quote, a line end or an outer blank. */
export function quoted(value: string): string {
  return /[",\n]|^ | $/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
