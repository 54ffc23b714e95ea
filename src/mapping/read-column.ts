import { isPlainObject } from "../records/json-value.ts";
import type { Row } from "../records/streams.ts";
import { CoercionRefusal } from "./refusal.ts";

const index = /^(?:0|[1-9]\d*)$/;

/**
 * Prepares the reading of one column. A name with dots that is not a column of the row is the path to a member of JSON:
 * `data.email`, `items.0.price`; undefined where it leads nowhere.
 */
export function columnReader(column: string): (row: Row) => unknown {
  if (column.includes(".")) {
    const [first = "", ...steps] = column.split(".");
    return (row) => {
      if (Object.hasOwn(row, column)) return row[column];
      return Object.hasOwn(row, first) ? memberAt(row[first], steps) : undefined;
    };
  }
  // A row that is a plain object inherits `constructor` and the like; checking for every column whether it is the row's
  // own costs a quarter more.
  return column in Object.prototype
    ? (row) => (Object.hasOwn(row, column) ? row[column] : undefined)
    : (row) => row[column];
}

/** Only own members, because every object inherits some; an object of a class is not data. */
function memberAt(from: unknown, steps: readonly string[]): unknown {
  let value = from;
  for (const step of steps) {
    // A refused value has no members to read.
    if (value instanceof CoercionRefusal) return value;
    if (Array.isArray(value)) value = index.test(step) ? value[Number(step)] : undefined;
    else if (isPlainObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}
