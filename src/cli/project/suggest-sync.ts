import { Document, visit } from "yaml";

import type { Column, Discovery } from "../../../connectors/contract/connector.ts";
import { literal } from "../../config/document/interpolate.ts";
import { nameCharsMax } from "../../limits.ts";
import { shapeOf, type Stream } from "../../records/streams.ts";

/** A field of a suggested mapping, as `record:` takes it. */
type Field =
  | string
  | { readonly column: string; readonly as: string }
  | { readonly template: string };

/** A sync that could read something, with notes on what a person has to settle before it can run. */
export type SuggestedSync = {
  readonly name: string;
  readonly from: string | Readonly<Record<string, unknown>>;
  readonly stream: Stream;
  readonly record: Readonly<Record<string, Field | Readonly<Record<string, Field>>>>;
  readonly notes: readonly string[];
};

/** The `as:` of a column. Text is taken as it is; a number as a number, unless its type holds larger ones. */
const coercions: Readonly<Record<Column["type"], string | undefined>> = {
  string: undefined,
  number: "number",
  boolean: "boolean",
  date: "date",
  time: "datetime",
  json: "json",
  other: undefined,
};

/** Columns that hold a domain, best first. Most columns called a URL hold another one: of a profile, of a picture. */
const looksLikeDomain = [
  /(^|_)domain(_name)?$/,
  /(^|_)web_?site(_url)?$/,
  /(^|_)home_?page$/,
  /^((account|company|site)_)?url$/,
];
const looksLikeEmail = [/(^|_)e_?mail(_address)?$/];
const looksLikePeople = /contact|people|person|lead|user|member/i;

/** The usual names of an account's properties, by what their columns are called. */
const usualNames = {
  name: /^(account|company)(_name)?$/,
  employees: /^(employees?(_count)?|(number|count)_of_employees|head_?count)$/,
} as const;

/** Choices that need not be guessed. */
export type Chosen = {
  readonly stream?: "account" | "contact" | undefined;
  /** The column with the key of a record. */
  readonly key?: string | undefined;
  /** The column with the domain; for a contact, with the e-mail address. */
  readonly address?: string | undefined;
};

/** Whether a column has the name of a count of a company's people. */
export function looksLikeCount(column: string): boolean {
  return usualNames.employees.test(plain(column));
}

/**
 * Guesses syncs for what a connection can read, each with a name of its own that is not `taken`: accounts, or contacts
 * if there is an e-mail address.
 */
export function suggestSyncs(
  connection: string,
  found: readonly Discovery[],
  taken: Iterable<string>,
): readonly SuggestedSync[] {
  const names = new Set(taken);
  return found.map((discovery) => {
    const sync = suggestSync(connection, discovery);
    let { name } = sync;
    for (let number = 2; names.has(name); number += 1) name = `${sync.name}_${number}`;
    names.add(name);
    return { ...sync, name };
  });
}

/** Guesses a sync for one thing that a connection can read. */
export function suggestSync(
  connection: string,
  found: Discovery,
  chosen: Chosen = {},
): SuggestedSync {
  const { name, from, columns } = found;
  const key = chosen.key === undefined ? found.key : [chosen.key];
  const domain = called(looksLikeDomain, columns);
  const email = called(looksLikeEmail, columns);
  const isContact = email !== undefined && (domain === undefined || looksLikePeople.test(name));
  const stream = chosen.stream ?? (isContact ? "contact" : "account");
  const { keyField, propertiesField } = shapeOf(stream);
  const as = stream === "contact" ? "email" : "domain";
  // The domain of an e-mail address serves as well.
  const address = chosen.address ?? (as === "email" ? email : (domain ?? email));
  const taken = new Set([address, changeColumnOf(from), ...(key.length === 1 ? key : [])]);
  const free = columns.filter((column) => !taken.has(column.name));
  const unreadable = free.filter(({ type }) => type === "other");
  const readable = free.filter(({ type }) => type !== "other");
  const properties = readable.map((column): [string, Field] => [
    stream === "account" ? usualNameOf(column, columns) : column.name,
    propertyOf(column),
  ]);
  const notes = [
    ...(key.length > 0 ? [] : [`${keyField}: no column is known to name a row; say which does`]),
    ...(address === undefined ? [`${as}: no column looks like it; say which holds it`] : []),
    ...unreadable.map((column) => `left out, because a query must convert it: ${shown(column)}`),
  ];
  return {
    name: syncNameOf(name),
    from: Object.keys(from).length === 0 ? connection : { connection, ...from },
    stream,
    record: {
      ...(key.length > 0 && { [keyField]: keyFieldOf(key) }),
      ...(address !== undefined && { [as]: { column: address, as } }),
      [propertiesField]: Object.fromEntries(properties),
    },
    notes,
  };
}

/** The sync as YAML to paste under `syncs:`, without its notes. */
export function yamlOf({ name, from, stream, record }: SuggestedSync): string {
  const document = new Document({ [name]: { from, stream, record } });
  visit(document, {
    // Names of members are taken literally; in all other text a variable would be filled in.
    Scalar: (key, node) => {
      if (key !== "key" && typeof node.value === "string") node.value = literal(node.value);
    },
    // Rules and sources fit on a line.
    Map: (_, node) => {
      node.flow =
        node.items.length === 0 ||
        node.has("column") ||
        node.has("template") ||
        node.has("connection");
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Room for the number of a second sync with the same name. */
const numberChars = 8;

/** A name by the rules of `sluice.yaml`, made from the last part of another name. */
function syncNameOf(name: string): string {
  const bare = name.replace(/\.(csv|tsv|txt)(\.gz)?$/i, "").replace(/^.*[./]/, "");
  const made = bare
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "_")
    .replace(/^[^a-z]+|[_-]+$/g, "");
  return made === "" ? "everything" : made.slice(0, nameCharsMax - numberChars);
}

function keyFieldOf(key: readonly string[]): Field {
  const [first = ""] = key;
  if (key.length === 1) return first;
  return { template: key.map((column) => `{${column}}`).join("-") };
}

function propertyOf({ name, type, note = "" }: Column): Field {
  if (type === "number" && looksLikeCount(name)) return { column: name, as: "integer" };
  if ((type === "number" || type === "json") && isWide(note)) return name;
  // A time without a zone is not a moment, so it stays text.
  const as = type === "time" && note.includes("without time zone") ? undefined : coercions[type];
  return as === undefined ? name : { column: name, as };
}

/** Digits that a double carries for every number. */
const safeDigits = 15;

/** Types whose numbers may have any number of digits. */
const wideTypes = new Set(["bigint", "json", "jsonb"]);

/**
 * Whether numbers of a type, or in it, may have more digits than a JSON number carries; as text they can all be sent.
 */
function isWide(note: string): boolean {
  const type = note.replace(/\[\]$/, "");
  const [, digits] = /^numeric(?:\((\d+)(?:,-?\d+)?\))?$/.exec(type) ?? [];
  return wideTypes.has(type) || (type.startsWith("numeric") && !(Number(digits) <= safeDigits));
}

/** The usual name of a column's property, unless another column has it or gets it. */
function usualNameOf({ name }: Column, columns: readonly Column[]): string {
  for (const [usual, pattern] of Object.entries(usualNames)) {
    const meant = columns.filter((one) => one.name === usual || pattern.test(plain(one.name)));
    if (meant.length === 1 && meant[0]?.name === name) return usual;
  }
  return name;
}

/** The first column whose name matches, by the first pattern that any column matches. */
function called(patterns: readonly RegExp[], columns: readonly Column[]): string | undefined {
  const match = (pattern: RegExp): Column | undefined =>
    columns.find(({ name }) => pattern.test(plain(name)));
  return patterns.map(match).find((column) => column !== undefined)?.name;
}

/** A column's name in lower case, with _ between its words: `Company Domain Name`, `companyDomainName`. */
function plain(name: string): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  return words.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
}

/** The name of the change column in the members of `from`. */
export function changeColumnOf(from: Discovery["from"]): unknown {
  const by = from["changed_by"];
  return typeof by === "object" && by !== null && "column" in by ? by.column : undefined;
}

function shown({ name, note }: Column): string {
  return note === undefined ? name : `${name} (${note})`;
}
