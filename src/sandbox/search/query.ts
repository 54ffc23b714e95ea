import { z } from "zod";

import {
  filtersMax,
  filterValuesMax,
  int32Max,
  pageItemsDefault,
  searchCharsMax,
  sortItemsMax,
} from "../limits.ts";
import { dateTime } from "../schemas.ts";
import { type Kind, properties } from "./properties.ts";

/** The operators of a filter (docs/facts/service.md#search). */
export const operators = [
  "IS",
  "IS_NOT",
  "GT",
  "GTE",
  "LT",
  "LTE",
  "IN",
  "NOT_IN",
  "BETWEEN",
  "NOT_BETWEEN",
  "IS_NULL",
  "IS_NOT_NULL",
  "CONTAINS",
  "NOT_CONTAINS",
  "STARTS_WITH",
  "ENDS_WITH",
] as const;

/** One of the operators. */
export type Operator = (typeof operators)[number];

/**
 * The operands of the operators: one value, one that is compared by size, a list, a lower and an upper bound, a piece
 * of text, anything.
 */
const operands = {
  IS: "one",
  IS_NOT: "one",
  GT: "bound",
  GTE: "bound",
  LT: "bound",
  LTE: "bound",
  IN: "list",
  NOT_IN: "list",
  BETWEEN: "bounds",
  NOT_BETWEEN: "bounds",
  IS_NULL: "anything",
  IS_NOT_NULL: "anything",
  CONTAINS: "piece",
  NOT_CONTAINS: "piece",
  STARTS_WITH: "piece",
  ENDS_WITH: "piece",
} as const satisfies Record<Operator, string>;

type Operand = (typeof operands)[Operator];
type Kinds = Readonly<Record<string, Kind>>;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const filter = z.object({
  property: z.string(),
  operator: z.enum(operators),
  value: z.union([scalar, z.array(scalar).max(filterValuesMax)]),
});

/** A condition on one property. */
export type Filter = Readonly<z.output<typeof filter>>;

const ones = {
  text: { schema: z.string(), called: "a string" },
  number: { schema: z.number(), called: "a number" },
  boolean: { schema: z.boolean(), called: "a boolean" },
  date: {
    schema: z.union([z.iso.date(), dateTime]),
    called: "a date, or a date-time with an offset",
  },
} as const satisfies Record<Kind, Expected>;

type Expected = { readonly schema: z.ZodType; readonly called: string };

/** The values that an operator takes for a property of this kind; undefined where it does not apply. */
function expected(operand: Operand, kind: Kind): Expected | undefined {
  const { schema, called } = ones[kind];
  const values = z.array(schema);
  const byOperand: Readonly<Record<Operand, Expected | undefined>> = {
    one: ones[kind],
    bound: kind === "boolean" ? undefined : ones[kind],
    list: { schema: values, called: `an array, each of it ${called}` },
    bounds:
      kind === "boolean"
        ? undefined
        : { schema: values.length(2), called: `an array of two, each of it ${called}` },
    piece: kind === "text" || kind === "date" ? ones.text : undefined,
    anything: { schema: z.unknown(), called: "anything" },
  };
  return byOperand[operand];
}

/** Says what is wrong with a filter's value; undefined if nothing is. */
function misfit({ operator, value }: Filter, kind: Kind): string | undefined {
  const takes = expected(operands[operator], kind);
  if (takes === undefined) return `${operator} is not for a property that is a ${kind}`;
  return takes.schema.safeParse(value).success
    ? undefined
    : `${operator} takes ${takes.called} here`;
}

/** The filters that `misfit` accepts, as JSON Schema: one shape for each kind of property and operand. */
function shapesOf(of: Kinds): object {
  const byKind = Map.groupBy(Object.entries(of), ([, kind]) => kind);
  const byOperand = Map.groupBy(operators, (operator) => operands[operator]);
  const shapes = [...byKind].flatMap(([kind, named]) =>
    [...byOperand].flatMap(([operand, members]) => {
      const value = expected(operand, kind)?.schema;
      const property = z.enum(named.map(([name]) => name));
      return value === undefined ? [] : z.object({ property, operator: z.enum(members), value });
    }),
  );
  const { anyOf } = z.toJSONSchema(z.union(shapes), { io: "input" });
  return { anyOf };
}

function filterOf(of: Kinds) {
  return filter
    .extend({ property: z.enum(Object.keys(of)) })
    .superRefine((given, context) => {
      const kind = of[given.property];
      const message = kind === undefined ? undefined : misfit(given, kind);
      if (message !== undefined) context.addIssue({ code: "custom", path: ["value"], message });
    })
    .meta({ ...shapesOf(of) });
}

/** The members that both kinds of search have, except the logic between filters (docs/facts/service.md#search). */
function membersOf(of: Kinds, itemsMax: number) {
  return {
    limit: z.int().min(1).max(itemsMax).default(Math.min(pageItemsDefault, itemsMax)),
    cursor: z.int().min(0).max(int32Max).default(0),
    search: z.string().max(searchCharsMax).default(""),
    filters: z.array(filterOf(of)).max(filtersMax).default([]),
    sort: z
      .array(z.object({ sort_by: z.enum(Object.keys(of)), sort_order: z.enum(["asc", "desc"]) }))
      .max(sortItemsMax)
      .default([]),
  };
}

const logic = z.enum(["AND", "OR"]).default("AND");

/** A member that is spelt as in the other endpoint: ignoring it would turn an OR into an AND. */
function misspelt(right: string) {
  return z.never({ error: `This endpoint calls it ${right}` }).optional();
}

function searchBody(of: Kinds, itemsMax: number): z.ZodType<Query> {
  return z
    .object({
      ...membersOf(of, itemsMax),
      filterLogic: logic,
      filter_logic: misspelt("filterLogic"),
    })
    .transform(({ filterLogic, ...rest }) => ({ ...rest, logic: filterLogic }));
}

/** A search, and which page of it is requested. */
export type Query = {
  readonly limit: number;
  readonly cursor: number;
  readonly search: string;
  readonly filters: readonly Filter[];
  readonly logic: z.output<typeof logic>;
  readonly sort: readonly { readonly sort_by: string; readonly sort_order: "asc" | "desc" }[];
};

/** The bodies of the search and enrichment endpoints. */
export type SearchBodies = {
  readonly accounts: z.ZodType<Query>;
  readonly persons: z.ZodType<Query>;
  readonly job_postings: z.ZodType<{ readonly domain: string; readonly query: Query }>;
};

/** The bodies for pages of at most `itemsMax` items; unknown members are ignored. */
export function searchBodies(itemsMax: number): SearchBodies {
  const jobPostings = z
    .object({
      domain: z.string().regex(/^(?=.{1,253}$)[^\s.@/:]+(\.[^\s.@/:]+)+$/, "Not a host name"),
      ...membersOf(properties.job_postings, itemsMax),
      filter_logic: logic,
      filterLogic: misspelt("filter_logic"),
    })
    .transform(({ domain, filter_logic, ...rest }) => ({
      domain,
      query: { ...rest, logic: filter_logic },
    }));
  return {
    accounts: searchBody(properties.accounts, itemsMax),
    persons: searchBody(properties.persons, itemsMax),
    job_postings: jobPostings,
  };
}
