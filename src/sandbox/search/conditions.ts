import type { Kind } from "./properties.ts";
import type { Filter, Operator, Query } from "./query.ts";

/** A piece of SQL and the values of its parameters, in order. */
export type Sql = { readonly text: string; readonly values: readonly (number | string)[] };

/** Text as it is compared: case and the composition of letters do not matter. */
export function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The column that holds a date as it is written, next to the one that holds its time. */
export function writtenColumn(name: string): string {
  return `${name}_written`;
}

/** The condition by which items are found. The column `words` holds the text that is searched. */
export function searchConditionOf(
  { search, filters, logic }: Query,
  kinds: Readonly<Record<string, Kind>>,
): Sql {
  const words = folded(search)
    .split(/\s+/)
    .filter((word) => word !== "");
  const asked = filters.map((each) => filterSql(each, kinds[each.property] ?? "text"));
  const all = words.map((word) => ({ text: "instr(words, ?) > 0", values: [word] }));
  return joined([...all, ...(asked.length === 0 ? [] : [joined(asked, logic)])], "AND");
}

/** The order of the items: missing values come last, and `id` breaks ties. */
export function searchOrderOf({ sort }: Query): string {
  const columns = sort.map(
    ({ sort_by, sort_order }) => `"${sort_by}" is null, "${sort_by}" ${sort_order}`,
  );
  return [...columns, "id"].join(", ");
}

function joined(conditions: readonly Sql[], logic: Query["logic"]): Sql {
  if (conditions.length === 0) return { text: "true", values: [] };
  return {
    text: `(${conditions.map(({ text }) => text).join(` ${logic} `)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

type Operand = {
  /** The column that is compared by value. */
  readonly column: string;
  /** The column that holds its text. */
  readonly written: string;
  readonly given: readonly (number | string)[];
  readonly piece: string;
};

function compared(sign: string): (operand: Operand) => Sql {
  return ({ column, given }) => ({ text: `${column} ${sign} ?`, values: given });
}

const positives = {
  IS: compared("="),
  GT: compared(">"),
  GTE: compared(">="),
  LT: compared("<"),
  LTE: compared("<="),
  IN: ({ column, given }) => ({
    text: `${column} in (select value from json_each(?))`,
    values: [JSON.stringify(given)],
  }),
  BETWEEN: ({ column, given }) => ({ text: `${column} between ? and ?`, values: given }),
  IS_NULL: ({ column }) => ({ text: `${column} is null`, values: [] }),
  CONTAINS: ({ written, piece }) => ({ text: `instr(${written}, ?) > 0`, values: [piece] }),
  STARTS_WITH: ({ written, piece }) => ({ text: `instr(${written}, ?) = 1`, values: [piece] }),
  ENDS_WITH: ({ written, piece }) => endsWith(written, piece),
} as const satisfies Readonly<Record<string, (operand: Operand) => Sql>>;

/** The operators that negate another one. */
const opposites = {
  IS_NOT: "IS",
  NOT_IN: "IN",
  NOT_BETWEEN: "BETWEEN",
  IS_NOT_NULL: "IS_NULL",
  NOT_CONTAINS: "CONTAINS",
} as const satisfies Record<Exclude<Operator, keyof typeof positives>, keyof typeof positives>;

/**
 * A filter is either true or false: where a property has no value, IS_NULL and the opposites except IS_NOT_NULL are
 * true.
 */
function filterSql({ property, operator, value }: Filter, kind: Kind): Sql {
  const column = `"${property}"`;
  const operand = {
    column,
    written: kind === "date" ? `"${writtenColumn(property)}"` : column,
    given: (Array.isArray(value) ? value : [value]).map((each) => comparable(each, kind)),
    piece: folded(String(value)),
  };
  if (isOpposite(operator)) {
    const { text, values } = positives[opposites[operator]](operand);
    return { text: `not coalesce(${text}, false)`, values };
  }
  const { text, values } = positives[operator](operand);
  return { text: `coalesce(${text}, false)`, values };
}

function isOpposite(operator: Operator): operator is keyof typeof opposites {
  return Object.hasOwn(opposites, operator);
}

/** Compares bytes, because SQLite counts the characters of a text only as far as its first NUL. */
function endsWith(column: string, piece: string): Sql {
  const bytes = Buffer.byteLength(piece);
  if (bytes === 0) return { text: `${column} is not null`, values: [] };
  return {
    text: `substr(cast(${column} as blob), ?) = cast(? as blob)`,
    values: [-bytes, piece],
  };
}

function comparable(value: boolean | number | string, kind: Kind): number | string {
  if (kind === "date") return Date.parse(String(value).toUpperCase());
  return typeof value === "string" ? folded(value) : Number(value);
}
