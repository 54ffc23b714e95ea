/** The numbers from 0 up to, but not including, `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** Yields the given items. */
export async function* streamOf<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

/** Everything that is yielded, in order. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
