/**
 * Does `work` for each item, for at most `atOnce` of them at a time, in their order.
 * @throws what the first one that fails throws; none is begun after it, and those under way are not waited for.
 */
export async function eachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // Shared by all who take from it. A loop that is left by a throw closes a generator, and so ends the others' loops.
  const left = (function* () {
    yield* items;
  })();
  const take = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
