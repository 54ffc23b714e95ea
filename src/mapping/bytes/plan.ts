import { jsonFaultOf, recordDepthMax } from "../../records/json-value.ts";
import { shapeOf, type Stream } from "../../records/streams.ts";
import { placedRules, type PlacedRule } from "../placed-rules.ts";
import { constantRule, fieldReader } from "../read-field.ts";
import { CoercionRefusal } from "../refusal.ts";
import type { FieldRule, RecordMapping } from "../schema.ts";
import { parseTemplate, type TemplatePart } from "../template.ts";

/** The coercions that can be tested on bytes: a value that passes is written as it is. */
const plainKinds = [
  "boolean",
  "date",
  "datetime",
  "domain",
  "email",
  "integer",
  "number",
  "string",
] as const;

/** `any` is for a rule without `as`, which leaves a value as it is. */
type PlainKind = "any" | (typeof plainKinds)[number];

/** How a field of a record is written from cells. */
export type FieldPlan = {
  /** Its name as a member of JSON that follows another: `,"name":`. */
  readonly member: Buffer;
  readonly source:
    | { readonly column: string }
    | { readonly template: readonly TemplatePart[] }
    /** The JSON of a constant. */
    | { readonly constant: Buffer };
  readonly kind: PlainKind;
  /** Whether only text is accepted. */
  readonly isText: boolean;
  readonly isTrimmed: boolean;
  readonly isLowercase: boolean;
  /** What an empty cell becomes: JSON, nothing, an empty text if the cell exists, or what only objects can decide. */
  readonly whenEmpty: Buffer | "keep" | "object" | "omit";
};

/** A mapping as data: how each plain row becomes a line of JSON without being an object. */
export type RecordPlan = {
  /** The text before the first field. */
  readonly head: Buffer;
  readonly texts: readonly FieldPlan[];
  /** The place of the key among `texts`. */
  readonly key: number;
  /** The text between the text fields and the properties. */
  readonly middle: Buffer;
  readonly properties: readonly FieldPlan[];
};

/** Why a mapping needs objects for every row. */
export type NoPlan = {
  /** As a clause. */
  readonly because: string;
  /** The part of `record` that says so, by the names that lead there. @default it is the whole of it */
  readonly at?: readonly string[] | undefined;
};

/** The kinds that leave a time as it is. */
const timeKinds: readonly PlainKind[] = ["any", "datetime", "string"];

const textKinds: readonly PlainKind[] = ["any", "date", "datetime", "domain", "email", "string"];

/**
 * Plans the writing of a mapping in which `checkMapping` found no fault, or says why that is impossible. A plan makes
 * the same bytes from a row as `compileMapping`, `validateRecord` and `JSON.stringify` together.
 */
export function planRecord(mapping: RecordMapping, stream: Stream): RecordPlan | NoPlan {
  const { discriminator, keyField, propertiesField, textFields } = shapeOf(stream);
  const rules = placedRules(mapping, stream);
  const texts = rules.texts.map((placed) => planText(placed));
  const properties = rules.properties.map((placed) => planField(placed));
  const missing = [...texts, ...properties].find((field) => "because" in field);
  if (missing !== undefined && "because" in missing) return missing;
  if (texts.length < textFields.length) return { because: "it lacks a field that is required" };
  return {
    head: Buffer.from(`{${JSON.stringify(discriminator)}:${JSON.stringify(stream)}`),
    texts: texts.filter((field) => "member" in field),
    key: textFields.findIndex((name) => name === keyField),
    middle: Buffer.from(`,${JSON.stringify(propertiesField)}:{`),
    properties: properties.filter((field) => "member" in field),
  };
}

/** A text field: an empty value, or one that is not text, is refused, and only objects can do that. */
function planText(placed: PlacedRule): FieldPlan | NoPlan {
  const field = planField(placed);
  if ("because" in field) return field;
  const name = placed.path.join(".");
  const isText =
    "constant" in field.source
      ? isFilledText(field.source.constant)
      : textKinds.includes(field.kind);
  if (!isText) return { because: `${name} is not text`, at: placed.path };
  if (name === "event_timestamp") {
    const isAsItCame = "column" in field.source && !field.isLowercase;
    if (!isAsItCame || !timeKinds.includes(field.kind)) {
      return { because: `${name} is not a time as it came`, at: placed.path };
    }
    return { ...field, kind: "datetime", isText: true, whenEmpty: "object" };
  }
  const isKept = field.whenEmpty instanceof Buffer && isFilledText(field.whenEmpty);
  return { ...field, isText: true, whenEmpty: isKept ? field.whenEmpty : "object" };
}

/** Whether it is the JSON of a text that is not empty. */
function isFilledText(json: Buffer): boolean {
  return json[0] === 0x22 && json.length > 2;
}

function planField({ path, rule }: PlacedRule): FieldPlan | NoPlan {
  const name = path.join(".");
  const { as, lowercase, template, trim } = rule;
  const kind = as === undefined ? "any" : plainKinds.find((plain) => plain === as);
  if (kind === undefined) return { because: `${name} is read \`as: ${as}\``, at: [...path, "as"] };
  const isTrimmed = trim === true || (as !== undefined && as !== "string");
  if (template !== undefined && (isTrimmed || lowercase === true)) {
    return { because: `${name} converts what a template makes`, at: path };
  }
  if (![...path, template ?? ""].every((text) => text.isWellFormed())) {
    return { because: `${name} holds half a character`, at: path };
  }
  const source = sourceOf(rule);
  if (source === undefined) return { because: `${name} is a constant that is refused`, at: path };
  return {
    member: Buffer.from(`,${JSON.stringify(path.at(-1))}:`),
    source,
    kind,
    isText: false,
    isTrimmed,
    isLowercase: lowercase === true,
    whenEmpty: whenEmptyOf(rule),
  };
}

function sourceOf(rule: FieldRule): FieldPlan["source"] | undefined {
  const { column, template } = rule;
  if (column !== undefined) return { column };
  if (template !== undefined) return { template: parseTemplate(template) ?? [] };
  const constant = fieldReader(rule)({});
  return jsonOf(constant, (json) => ({ constant: json }));
}

/** The JSON of a constant value; undefined if it has none. */
function jsonOf<Made>(value: unknown, make: (json: Buffer) => Made): Made | undefined {
  if (value === undefined || value instanceof CoercionRefusal) return undefined;
  // The properties object is a level of its own.
  if (jsonFaultOf(value, recordDepthMax - 1) !== undefined) return undefined;
  return make(Buffer.from(JSON.stringify(value)));
}

function whenEmptyOf(rule: FieldRule): FieldPlan["whenEmpty"] {
  if (rule.required === true) return "object";
  if (rule.empty === "keep") return "keep";
  if (rule.empty === "null" || rule.empty === null) return Buffer.from("null");
  if (rule.default === undefined) return "omit";
  const value = fieldReader(constantRule(rule, rule.default))({});
  return jsonOf(value, (json) => json) ?? "object";
}
