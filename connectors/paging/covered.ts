import { isEarlier, isSameTime, type Entry } from "./entries.ts";
import { wrong } from "./faults.ts";
import { rowsAtOneTimeMax, signChars } from "./limits.ts";
import type { PagePosition } from "./position.ts";

/** How positions of a list cover its entries. */
export type Coverage = {
  /** Whether there is no change column: a group is a page. */
  readonly isWhole: boolean;
  /** The member of the configuration that names the change column. */
  readonly field: string | undefined;
};

/** The entries of a page that a position covers. */
export function coveredBy(
  { at, seen }: PagePosition,
  entries: readonly Entry[],
  { isWhole }: Coverage,
): ReadonlySet<Entry> {
  if (isWhole) {
    const last = Number(seen.at(-1));
    return new Set(entries.filter(({ group, key }) => group === at && Number(key) <= last));
  }
  const signs = signsOf(seen);
  const same = entries.filter(({ group }) => isSameTime(group, at));
  // The last entry of a key counts: the ones before it on the page are older.
  const last = new Map(same.map(({ key, sign }) => [key, sign]));
  const known = same.filter(({ key }) => signs.get(key) === last.get(key));
  return new Set([...entries.filter(({ group }) => isEarlier(group, at)), ...known]);
}

/** The position that also covers the entries, which follow it. @throws {ConfigError} too many rows share a change. */
export function covering(
  position: PagePosition,
  entries: readonly Entry[],
  { isWhole, field }: Coverage,
): PagePosition {
  let { since, at } = position;
  const signs = signsOf(position.seen);
  for (const { group, key, sign } of entries) {
    if (isWhole || !isSameTime(group, at)) {
      since = at;
      at = group;
      signs.clear();
    }
    signs.set(key, sign);
    if (signs.size > rowsAtOneTimeMax) throw wrong("too many changed at one time", field);
  }
  return { ...position, since, at, seen: Array.from(signs, ([key, sign]) => sign + key) };
}

/** The hashes that a position has, by the keys of their entries. */
function signsOf(seen: readonly string[]): Map<string, string> {
  return new Map(seen.map((entry) => [entry.slice(signChars), entry.slice(0, signChars)]));
}
