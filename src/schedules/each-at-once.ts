/**
 * Calls `work` for each item in order, for at most `atOnce` of them at a time.
 * @throws the first error of a `work`; starts none after it, and does not wait for those under way.
 */
export async function eachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // Shared by all takers. A loop that is left by a throw closes the generator, which also ends the others' loops.
  const left = (function* () {
    yield* items;
  })();
  const take = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
