import { z } from "zod";

/** A result as received, with its properties under the result's own names. */
export type Item = Readonly<Record<string, unknown>>;

/** A filter, with a value of any type. */
export type Filter = {
  readonly property: string;
  readonly operator: string;
  readonly value: unknown;
};

/** A search, in terms that both endpoints share. */
export type Search = {
  readonly search: string;
  readonly filters: readonly Filter[];
  readonly logic: "AND" | "OR";
  readonly sort: readonly { readonly sort_by: string; readonly sort_order: "asc" | "desc" }[];
};

const plain = z.union([z.string(), z.number(), z.boolean()]);
const parts = z.looseObject({
  location: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  company: z.object({ domain: z.string() }).optional(),
});

/** The value by which an item's property is compared; undefined if it has none. */
function keyOf(item: Item, property: string): number | string | undefined {
  const { location, company } = parts.parse(item);
  const inside = typeof location === "object" ? location : {};
  const value = property === "company_domain" ? (company?.domain ?? item[property]) : undefined;
  const found = plain.safeParse(value ?? inside[property] ?? item[property]);
  return found.success ? keyOfValue(found.data, property) : undefined;
}

function keyOfValue(value: boolean | number | string, property: string): number | string {
  if (property.endsWith("event_on")) return Date.parse(String(value));
  return typeof value === "string" ? value.normalize("NFC").toLowerCase() : Number(value);
}

/** Compares by code points, with absent values last. */
function compare(a: number | string | undefined, b: number | string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === "number") return a - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
}

function holds(item: Item, { property, operator, value }: Filter): boolean {
  if (operator.includes("NOT")) {
    const positive =
      operator === "IS_NOT"
        ? "IS"
        : operator.replace(/_?NOT_?/, (gap) => (gap === "_NOT_" ? "_" : ""));
    return !holds(item, { property, operator: positive, value });
  }
  const key = keyOf(item, property);
  if (operator === "IS_NULL") return key === undefined;
  if (key === undefined) return false;
  const values = z.array(plain).parse(Array.isArray(value) ? value : [value]);
  const [low, high] = values.map((each) => compare(key, keyOfValue(each, property)));
  const text = property.endsWith("event_on") ? String(item[property]) : String(key);
  const piece = String(value).normalize("NFC").toLowerCase();
  const results: Record<string, boolean> = {
    IS: low === 0,
    GT: Number(low) > 0,
    GTE: Number(low) >= 0,
    LT: Number(low) < 0,
    LTE: Number(low) <= 0,
    IN: values.some((each) => compare(key, keyOfValue(each, property)) === 0),
    BETWEEN: Number(low) >= 0 && Number(high) <= 0,
    CONTAINS: text.includes(piece),
    STARTS_WITH: text.startsWith(piece),
    ENDS_WITH: text.endsWith(piece),
  };
  return z.boolean().parse(results[operator]);
}

/**
 * Everything that a search finds, in its order. `textsOf` returns the texts that free text is searched in, `idOf` the
 * final tie-breaker.
 */
export function evaluate(
  items: readonly Item[],
  { search, filters, logic, sort }: Search,
  of: {
    readonly idOf: (item: Item) => string;
    readonly textsOf: (item: Item) => readonly string[];
  },
): readonly Item[] {
  const words = search.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    const texts = of.textsOf(item).map((text) => text.normalize("NFC").toLowerCase());
    const asked = filters.map((filter) => holds(item, filter));
    const isAsked =
      logic === "AND" ? asked.every(Boolean) : asked.length === 0 || asked.some(Boolean);
    return isAsked && words.every((word) => texts.some((text) => text.includes(word)));
  });
  return found.toSorted((a, b) => {
    for (const { sort_by: property, sort_order: order } of sort) {
      const [left, right] = [keyOf(a, property), keyOf(b, property)];
      const isAbsent = left === undefined || right === undefined;
      const sign = compare(left, right) * (order === "desc" && !isAbsent ? -1 : 1);
      if (sign !== 0) return sign;
    }
    return of.idOf(a) < of.idOf(b) ? -1 : 1;
  });
}
