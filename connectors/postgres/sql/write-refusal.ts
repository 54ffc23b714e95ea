import { DatabaseError } from "pg";

import { isOfFunction } from "../../../src/postgres/errors.ts";

/** States that say nothing about the row, also where a trigger raises them: the write is tried again. */
const passing = /^(?:08|40|53|55P03|57|58)/;

/**
 * Why the server refused the values of a row; undefined when it refused something else. Holds no value
 * (docs/facts/threats.md#t11): pg's message may. `written` is the name of the table that is written.
 */
export function refusalOf(error: unknown, written?: string): string | undefined {
  if (!(error instanceof DatabaseError) || error.code === undefined) return undefined;
  const { code, column, constraint = "a constraint" } = error;
  // Before anything else: a trigger may raise any state.
  if (isOfFunction(error)) {
    return passing.test(code) ? undefined : "a trigger of the table refuses it";
  }
  switch (code) {
    // With two rows at once, a trigger may also have given them the same key: each alone is accepted.
    case "21000":
      return "a trigger or a policy of the table finds several values for it";
    case "22001":
      return "a value is too long for its column";
    case "22003":
      return "a number is out of its column's range";
    case "22021":
    case "22P05":
      return "a text has a character that the database's encoding does not have";
    case "23502":
      // For a domain, the type needs it, and no column is named.
      return column === undefined ? "it needs a value" : `the column ${column} needs a value`;
    case "23503":
      // If the tables differ, the key is of another table, whose rows point to the earlier value; or of a partition.
      return written === undefined || error.table === written
        ? `it points to a row that does not exist (${constraint})`
        : `it breaks the foreign key ${constraint} of the table ${error.table}`;
    case "23505":
      return `another row has the same values (${constraint})`;
    case "23514":
      return error.routine === "ExecFindPartition"
        ? "no partition of the table takes it"
        : `it breaks the rule ${constraint}`;
    case "54000":
      return "a value is too long for an index";
    case "42501":
      // A missing grant has the same state, but concerns the table and not a row.
      return error.routine === "ExecWithCheckOptions"
        ? "a policy of row level security refuses it"
        : undefined;
    default:
      if (code.startsWith("22")) return "a value is not of its column's type";
      return code.startsWith("23") ? `it breaks ${constraint}` : undefined;
  }
}
