import { type HashedKeys } from "./key-hashes.ts";

/** Keys of one transaction: a longer one would keep other processes waiting too long for their turn. */
export const keysPerTransactionMax = 10_000;

/** Fixed cost of a step, in keys: a step with a single key takes as long as twenty keys in a longer step. */
const keysPerStep = 20;

/** Indexes of keys that are judged at once, in ascending order; no key occurs twice among them. */
type Step = readonly number[];

/** Counts how often each key occurs earlier in the list; undefined if none occurs twice. */
function timesBefore({ numbers, tags }: HashedKeys): Uint32Array | undefined {
  const count = numbers.length;
  const size = 2 ** Math.ceil(Math.log2(2 * count + 1));
  // Indexes from 1 of the last occurrences, at the place that the key's tag selects, or at a later one.
  const table = new Uint32Array(size);
  const tagWords = new Int32Array(tags.buffer, tags.byteOffset, count * 2);
  let times: Uint32Array | undefined;
  for (let index = 0; index < count; index += 1) {
    let at = (tagWords[index * 2] ?? 0) & (size - 1);
    for (; ; at = (at + 1) & (size - 1)) {
      const before = (table[at] ?? 0) - 1;
      if (before === -1) break;
      const isSame =
        tagWords[before * 2] === tagWords[index * 2] &&
        tagWords[before * 2 + 1] === tagWords[index * 2 + 1] &&
        numbers[before] === numbers[index];
      if (!isSame) continue;
      times ??= new Uint32Array(count);
      times[index] = (times[before] ?? 0) + 1;
      break;
    }
    table[at] = index + 1;
  }
  return times;
}

/**
 * Divides the keys of a call into transactions, and those into steps. What becomes of a key depends on its earlier
 * rows, so each of its rows has a step of its own, in order.
 */
export function inTransactions(keys: HashedKeys): readonly (readonly Step[])[] {
  const times = timesBefore(keys);
  const all = Array.from({ length: keys.numbers.length }, (_, index) => index);
  const rounds =
    times === undefined ? [all] : [...Map.groupBy(all, (index) => times[index]).values()];
  const transactions: Step[][] = [];
  let room = 0;
  for (const round of rounds) {
    for (let from = 0; from < round.length; from += keysPerTransactionMax) {
      const step = round.slice(from, from + keysPerTransactionMax);
      if (room < step.length) {
        transactions.push([]);
        room = keysPerTransactionMax + keysPerStep;
      }
      transactions.at(-1)?.push(step);
      room -= step.length + keysPerStep;
    }
  }
  return transactions;
}
