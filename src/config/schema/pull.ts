import { z } from "zod";

import type { Searchable } from "../../api/results.ts";
import type { SearchQuery } from "../../api/search.ts";
import { pageRowsMax, pullCallsDefault, pullPageSizeDefault } from "../../limits.ts";
import { canonicalJson, sha256 } from "../hash.ts";
import { pullPassesMax } from "../limits.ts";
import { membersOf } from "./members.ts";
import { rejectLimitSchema } from "./reject-limit.ts";
import { resultPathFault } from "./result-paths.ts";
import { scheduleSchema, type ScheduleConfig } from "./schedule.ts";
import type { PullSources, SourceConfig } from "./sources.ts";

/** Column of the write-back -> path into a result: `scores.customer_fit.score`. */
export type ColumnPaths = Readonly<Record<string, string>>;

/** A configured pull: the results that come back from the service, and where they go. */
export type PullConfig = {
  readonly name: string;
  readonly of: Searchable;
  /** The query, without the domain and the number of results. */
  readonly query: Omit<SearchQuery, "domain" | "limit">;
  /** Where the domains of job postings are read; undefined for a search. */
  readonly domainsFrom: (SourceConfig & { readonly column: string }) | undefined;
  /** Results asked for at a time. */
  readonly pageSize: number;
  /** Calls of one run. */
  readonly callsMax: number;
  /** Passes over a search, repeated while results are missing because they changed places. */
  readonly passesMax: number;
  /** A run stops when its rejects exceed both: `rate` of everything read, from 0 to 1, and `rows`. */
  readonly rejectLimit: { readonly rate: number; readonly rows: number };
  readonly writeBack: SourceConfig & { readonly key: ColumnPaths; readonly set: ColumnPaths };
  /** Undefined: it runs only on request. */
  readonly schedule: ScheduleConfig | undefined;
  /** Sha256 over the query to the service, including where the domains come from. */
  readonly queryHash: string;
  /** Sha256 over how results are written. */
  readonly writeHash: string;
  /** Sha256 over all of this except the schedule, and over no secret. */
  readonly configHash: string;
};

/** The operators of a filter (docs/facts/service.md#search). */
const operators = [
  ...([
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
  ] as const),
  ...(["IS_NULL", "IS_NOT_NULL", "CONTAINS", "NOT_CONTAINS", "STARTS_WITH", "ENDS_WITH"] as const),
] as const;

const text = z.string().min(1);
const filterValue = z.union([z.string(), z.number(), z.boolean()]);

const filter = z.strictObject({
  property: text.describe("The attribute that is looked at: industry."),
  operator: z.enum(operators).describe("How it is compared."),
  value: z
    .union([filterValue, z.array(filterValue)])
    .describe("What it is compared with: two numbers for BETWEEN, a list for IN."),
});

const query = {
  filters: z.array(filter).min(1).optional().describe("What a result must be like."),
  filter_logic: z
    .enum(["AND", "OR"])
    .optional()
    .describe("Whether all filters must hold, or one; the service's own choice is AND."),
  search: text.optional().describe("A text to look for."),
  sort: z
    .array(
      z.strictObject({
        sort_by: text.describe("The attribute: name."),
        sort_order: z.enum(["asc", "desc"]).default("asc").describe("Up or down."),
      }),
    )
    .optional()
    .describe(
      "The order of the results. One more key is added at its end, so that it is the same on every page; [] " +
        "sends no order at all.",
    ),
};

/** Where a pull reads its domains. */
export const domainsFromSchema = z
  .looseObject({
    connection: text.describe("The connection's name."),
    column: text.describe(
      "The column that holds a domain, an address of the web or an e-mail address.",
    ),
  })
  .describe("Where the domains are read: a connection, members for its connector, and a column.");

const columnPaths = z.record(text, text).refine((paths) => Object.keys(paths).length > 0, {
  error: "must name a column at least",
});

/** Where a pull writes. */
export const writeBackSchema = z
  .looseObject({
    connection: text.describe("The connection's name."),
    key: columnPaths.describe("The columns that find a row, each with a path into the result."),
    set: columnPaths.describe(
      "The columns that get a value, each with a path: scores.customer_fit.score.",
    ),
  })
  .describe(
    "Where results go: a connection, members for its connector such as `table` and `insert`, and columns.",
  );

const search = z.strictObject(query);
const searched = ["accounts", "persons", "job_postings"] as const;

type PullInput = {
  readonly [Of in (typeof searched)[number]]?: unknown;
} & { readonly write_back?: unknown };

/** Reports mistakes between the members of a pull; any of them may also have mistakes of its own. */
function checkPull(pull: PullInput, context: z.core.$RefinementCtx): void {
  const given = searched.filter((name) => pull[name] !== undefined);
  if (given.length !== 1) {
    const message =
      given.length === 0
        ? `say what is pulled: one of ${searched.join(", ")}`
        : `pulls one thing, not ${given.join(" and ")}: make a pull of each`;
    context.addIssue({ code: "custom", path: [], message });
    return;
  }
  const { key, set } = membersOf(pull.write_back);
  for (const [group, columns] of Object.entries({ key: membersOf(key), set: membersOf(set) })) {
    for (const [column, path] of Object.entries(columns)) {
      const refuse = (message: string): void =>
        context.addIssue({ code: "custom", path: ["write_back", group, column], message });
      const fault = given[0] === undefined ? undefined : resultPathFault(given[0], path);
      if (fault !== undefined) refuse(fault);
      if (group === "set" && Object.hasOwn(membersOf(key), column)) {
        refuse("is part of the key, which finds the row: it cannot change");
      }
    }
  }
}

/** One pull of a `sluice.yaml`. */
export const pullSchema = z
  .strictObject({
    accounts: search.optional().describe("Pulls the accounts that a search finds."),
    persons: search.optional().describe("Pulls the persons that a search finds."),
    job_postings: z
      .strictObject({ domains_from: domainsFromSchema, ...query })
      .optional()
      .describe("Pulls the job postings of the companies whose domains a connection holds."),
    page_size: z
      .int()
      .min(1)
      .max(pageRowsMax)
      .default(pullPageSizeDefault)
      .describe("Results asked for at a time."),
    calls_max: z
      .int()
      .min(1)
      .default(pullCallsDefault)
      .describe("Calls of one run; each costs credits. The next run continues where one stopped."),
    passes_max: z
      .int()
      .min(1)
      .max(pullPassesMax)
      .default(1)
      .describe(
        "Passes over a search, each as long as results are missing that changed places; each costs as many calls.",
      ),
    reject_limit: rejectLimitSchema,
    write_back: writeBackSchema,
    schedule: scheduleSchema.optional(),
  })
  .superRefine(checkPull, { when: ({ value }) => typeof value === "object" && value !== null })
  .describe("Results of the service that come back into a connection.");

type PullMembers = z.output<typeof pullSchema>;

/**
 * The sort keys at the end of every query, so that results of equal rank have the same order on all its pages. None of
 * the published properties is certain to be unique; these nearly are.
 */
const lastKeys: Readonly<Record<Searchable, readonly string[]>> = {
  accounts: ["domain"],
  persons: ["email"],
  job_postings: ["event_on", "job_opening_title"],
};

function sortOf(of: Searchable, sort: PullMembers["accounts"] & object): SearchQuery["sort"] {
  const { sort: asked = [] } = sort;
  if (sort.sort?.length === 0) return undefined;
  const missing = lastKeys[of].filter((key) => asked.every(({ sort_by: by }) => by !== key));
  return [...asked, ...missing.map((key) => ({ sort_by: key, sort_order: "asc" as const }))];
}

/** Members of a connection that say how its server is reached and how long it may take, and not where the rows are. */
const reaching: ReadonlySet<string> = new Set(["ca_file", "statement_timeout", "tls"]);

/**
 * What of a connector's configuration is hashed: without the folder, which differs from host to host. A round continues
 * when only `reaching` members change, because its rows are where they were.
 */
function hashable({ connectorConfig, ...source }: SourceConfig): object {
  const { folder: _, ...members } = membersOf(connectorConfig);
  const place = Object.entries(members).filter(([name]) => !reaching.has(name));
  return { ...source, config: Object.fromEntries(place) };
}

/** The members that a round does not depend on, but a run that has begun does. */
function reachedBy(source: SourceConfig | undefined): object {
  const members = Object.entries(membersOf(source?.connectorConfig));
  return Object.fromEntries(members.filter(([name]) => reaching.has(name)));
}

/** Assembles a pull from parts that have no mistakes. */
export function assemblePull(
  name: string,
  members: PullMembers,
  { writeBack: target, domainsFrom: domains }: PullSources,
): PullConfig {
  const of = searched.find((each) => members[each] !== undefined) ?? "accounts";
  const asked = members[of] ?? {};
  const { filters, filter_logic: filterLogic, search: words } = asked;
  const { key, set } = members.write_back;
  const column = members.job_postings?.domains_from.column ?? "";
  const domainsFrom = domains === undefined ? undefined : { ...domains, column };
  const settings = {
    name,
    of,
    query: { filters, filterLogic, search: words, sort: sortOf(of, asked) },
    pageSize: members.page_size,
    callsMax: members.calls_max,
    passesMax: members.passes_max,
    rejectLimit: members.reject_limit,
  };
  const domainsHash = domainsFrom === undefined ? null : { column, ...hashable(domainsFrom) };
  const queryHash = sha256(canonicalJson({ of, query: settings.query, domains: domainsHash }));
  const writeHash = sha256(canonicalJson({ key, set, target: hashable(target) }));
  const reached = [reachedBy(target), reachedBy(domains)];
  return {
    ...settings,
    domainsFrom,
    writeBack: { ...target, key, set },
    schedule: members.schedule,
    queryHash,
    writeHash,
    configHash: sha256(canonicalJson({ ...settings, queryHash, writeHash, reached })),
  };
}
