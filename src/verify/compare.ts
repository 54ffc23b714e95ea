import { valueAt, type Result, type Searchable } from "../api/results.ts";
import { resultPathType } from "../config/schema/result-paths.ts";
import { ConfigError } from "../errors.ts";
import { isPlainObject, type JsonValue } from "../records/json-value.ts";
import { shapeOf, type Stream, type StreamRecord } from "../records/streams.ts";

/** How the service's search finds and shows the records of a stream. */
export type SearchedAs = {
  readonly of: Exclude<Searchable, "job_postings">;
  /** The field by which a record is looked up: the search does not know our ids. */
  readonly property: "domain" | "email";
  /** Properties of a record, and where a result shows each: under the same name, or inside a group of the result. */
  readonly shown: Readonly<Record<string, string>>;
};

const handles = ["linkedin_handle", "twitter_handle", "crunchbase_handle", "website"];
const socials = handles.map((name) => [name, `socials.${name}`] as const);

function shownAs(names: string): (readonly [string, string])[] {
  return names.split(" ").map((name) => [name, name] as const);
}

const searchedAs: Readonly<Partial<Record<Stream, SearchedAs>>> = {
  account: {
    of: "accounts",
    property: "domain",
    shown: Object.fromEntries([
      ...shownAs("name logo description industry founded_year raised_amount employees_count"),
      ["employees", "employees_count"],
      ["country", "location.country"],
      ["city", "location.city"],
      ...socials,
    ]),
  },
  contact: {
    of: "persons",
    property: "email",
    shown: Object.fromEntries([
      ...shownAs("name first_name last_name title persona avatar has_left_company"),
      ["company_domain", "company.domain"],
      ["country", "location.country"],
      ["state", "location.state"],
      ["city", "location.city"],
      ...socials,
    ]),
  },
};

/** How the service's search shows the records of a stream. @throws {ConfigError} it does not: they are events. */
export function searchOf(stream: Stream, sync: string): SearchedAs {
  const found = searchedAs[stream];
  if (found !== undefined) return found;
  throw new ConfigError(`sync ${sync} sends events, which the service's search never shows`, {
    field: `syncs.${sync}.stream`,
    hint: "accounts and contacts can be verified",
  });
}

/** A field that the service shows differently from what it should hold; `shown` is null if it shows nothing. */
export type DifferingField = {
  readonly field: string;
  readonly held: JsonValue;
  readonly shown: JsonValue;
};

/** The comparison of one record with one result, field by field. */
export type Compared = {
  readonly same: readonly string[];
  readonly differing: readonly DifferingField[];
  /** Fields that the search never shows, or whose held value is not known. */
  readonly incomparable: readonly string[];
};

/** Ignores the case of domains and e-mail addresses. */
function isEqual(path: string, held: JsonValue, shown: JsonValue): boolean {
  const ignoresCase = ["domain", "email", "company.domain"].includes(path);
  if (!ignoresCase || typeof held !== "string" || typeof shown !== "string") return held === shown;
  return held.toLowerCase() === shown.toLowerCase();
}

/** Numbers must be whole, except the amount: the service would not show a value of another type. */
function hasTypeOf(of: Searchable, path: string, value: JsonValue): boolean {
  const type = resultPathType(of, path);
  if (type !== "number") return typeof value === type;
  return path === "raised_amount" ? typeof value === "number" : Number.isInteger(value);
}

/** The fields of a record by their paths, such as "account_properties.name", without the discriminator. */
function* fieldsOf(record: StreamRecord, stream: Stream): Generator<[string, string, JsonValue]> {
  const { discriminator, propertiesField } = shapeOf(stream);
  for (const [name, value] of Object.entries(record)) {
    if (name === discriminator) continue;
    if (name !== propertiesField || !isPlainObject(value)) yield [name, name, json(value)];
    else {
      for (const [property, held] of Object.entries(value)) {
        yield [`${propertiesField}.${property}`, property, json(held)];
      }
    }
  }
}

/** A member of a record that was parsed from JSON. */
function json(value: unknown): JsonValue;
function json(value: unknown): unknown {
  return value;
}

/**
 * Compares a record with the one result that was found for it, field by field. Fields in `changed` are not compared:
 * the row has other values by now than those that were sent.
 */
export function compareRecord(
  record: StreamRecord,
  result: Result,
  how: {
    readonly stream: Stream;
    readonly search: SearchedAs;
    readonly changed: ReadonlySet<string>;
  },
): Compared {
  const { stream, search, changed } = how;
  const compared = {
    same: [] as string[],
    differing: [] as DifferingField[],
    incomparable: [] as string[],
  };
  const all = [...fieldsOf(record, stream)];
  const names = new Set(all.map(([, name]) => name));
  for (const [field, name, held] of all) {
    const path = name === search.property && field === name ? name : search.shown[name];
    // If one field could show two properties, the one with the field's own name wins.
    const isOther = path !== undefined && path !== name && names.has(path);
    if (path === undefined || isOther || changed.has(field) || !hasTypeOf(search.of, path, held)) {
      compared.incomparable.push(field);
      continue;
    }
    const shown = valueAt(result, path);
    if (isEqual(path, held, shown)) compared.same.push(field);
    else compared.differing.push({ field, held, shown });
  }
  return compared;
}
