import { hash } from "node:crypto";

import { LongNumber } from "../../src/mapping/refusal.ts";
import { isPlainObject } from "../../src/records/json-value.ts";
import type { Page, Reject, Row } from "../contract/connector.ts";
import { wrong, type FaultFields } from "./faults.ts";
import { signChars } from "./limits.ts";
import type { PagePosition } from "./position.ts";
import { utcOf } from "./times.ts";

/** How the entries of a list are named and ordered. */
export type EntryNames = {
  /** The member that names a row. @default "id" */
  readonly id?: string | undefined;
  /** The member with the time of a row's last change. Unset: each read reads the whole list. */
  readonly changedBy?: string | undefined;
  /** Precedes a row's id in its place: `/orders` gives `/orders:17`. */
  readonly place?: string | undefined;
  readonly fields?: FaultFields | undefined;
};

/** An entry of the API's list, which is a row or a reject. */
export type Entry = {
  /** The change of the row, or of the row before it where it has none; without a change column, the page. */
  readonly group: string;
  /** Identifies it in its group: the row's id, otherwise its hash; without a change column, its index on the page. */
  readonly key: string;
  /** A hash of its members, of `signChars` characters; empty without a change column. */
  readonly sign: string;
  readonly where: string;
  readonly row?: Row;
  readonly reject?: Reject;
};

/**
 * The entries of a page; `group` is the group of the last entry before it. Undefined when the page begins before the
 * end of the previous one.
 * @throws {ConfigError} the rows of the page are not in the order of their changes.
 */
export function entriesOf(
  items: readonly unknown[],
  names: EntryNames,
  { group: before, isFirst }: { readonly group: string; readonly isFirst: boolean },
): readonly Entry[] | undefined {
  const { changedBy, fields } = names;
  if (changedBy === undefined) {
    return items.map((item, index) => entryOf(item, names, { group: before, index }));
  }
  const changes = items.map((item) => changeOf(item, changedBy));
  const begin = changes.find((change) => change !== "");
  if (!isFirst && begin !== undefined && isEarlier(begin, before)) return undefined;
  let group = before;
  return items.map((item, index) => {
    const change = changes[index] ?? "";
    if (index > 0 && change !== "" && isEarlier(change, group)) {
      throw wrong("rows unsorted", fields?.order);
    }
    if (change !== "") group = change;
    return entryOf(item, names, { group, index });
  });
}

function entryOf(
  item: unknown,
  { id = "id", changedBy, place = "" }: EntryNames,
  { group, index }: { readonly group: string; readonly index: number },
): Entry {
  const isObject = isPlainObject(item);
  const name = isObject ? textOf(item[id]) : "";
  const where = `${place}:${name === "" ? `${group}#${index + 1}` : name}`;
  const reject = (reason: string): Reject => {
    return { where, code: "no_row", reason, row: JSON.stringify(item) };
  };
  if (changedBy === undefined) {
    const entry = { group, where, sign: "", key: String(index) };
    return isObject ? { ...entry, row: item } : { ...entry, reject: reject("it is not an object") };
  }
  const sign = signOf(item);
  const entry = { group, where, sign, key: name === "" ? sign : name };
  if (isObject && name !== "" && changeOf(item, changedBy) !== "") return { ...entry, row: item };
  return { ...entry, reject: reject("it is not an object that has the id and the change column") };
}

/** The page of some entries, which `position` covers. */
export function pageOf(entries: readonly Entry[], position: PagePosition): Page<Row, PagePosition> {
  const found: { readonly row: Row; readonly where: string }[] = [];
  const rejects: Reject[] = [];
  for (const { row, where, reject } of entries) {
    if (row !== undefined) found.push({ row, where });
    if (reject !== undefined) rejects.push({ ...reject, rowsBefore: found.length });
  }
  return {
    rows: found.map(({ row }) => row),
    rejects,
    position,
    where: (index) => found[index]?.where ?? "",
  };
}

/** A row's change, which begins with a digit; empty where it has none. */
function changeOf(item: unknown, changedBy: string): string {
  const change = isPlainObject(item) ? textOf(item[changedBy]) : "";
  return /^\d/.test(change) ? change : "";
}

/** Whether a change is before another: both are whole numbers, or times of one format, with any offsets. */
export function isEarlier(change: string, other: string): boolean {
  return rankOf(change) < rankOf(other);
}

/** Whether two changes are at one time, also where they name it by two offsets. */
export function isSameTime(change: string, other: string): boolean {
  return change === other || rankOf(change) === rankOf(other);
}

function rankOf(change: string): string {
  if (/^\d+$/.test(change)) return change.padStart(20, "0");
  // By the text, 02:44 before clocks are put back is after 02:10 behind it.
  return utcOf(change) ?? change.replace(/Z$/, "");
}

/** A hash of a value, the same for any order of its members. */
export function signOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value, inOrder) ?? "", "base64").slice(0, signChars);
}

function inOrder(_: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A text or a number as text; empty for anything else. */
export function textOf(value: unknown): string {
  const isText = typeof value === "string" || typeof value === "number";
  return isText || value instanceof LongNumber ? String(value) : "";
}
