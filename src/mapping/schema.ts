import { z } from "zod";

import { isPlainObject, jsonFaultOf } from "../records/json-value.ts";
import { coercionNames } from "./coerce.ts";
import { parseTemplate } from "./template.ts";

/** The values of `as` that leave the case of letters to the mapping; the others fix it or have no letters. */
const lowercased: readonly (string | undefined)[] = [undefined, "string", "email"];

const constant = z
  .unknown()
  .refine((value) => value === undefined || jsonFaultOf(value) === undefined, {
    error: "must be a value that JSON can carry",
  })
  .refine((value) => value !== null && value !== "", {
    error: "is empty; `empty: null` or `empty: keep` say what becomes of empty values",
  });

const column = z.string().min(1, { error: "must be a column name" });

const members = z.strictObject({
  column: column
    .optional()
    .describe("The column to read; for JSON also the path to a member: data.email."),
  value: constant.optional().describe("A constant, read as if every row held it."),
  template: z
    .string()
    .refine((text) => parseTemplate(text)?.some((part) => "column" in part) === true, {
      error:
        'must name its columns in braces, "{first} {last}"; write {{ and }} for braces as such',
    })
    .optional()
    .describe('Text with columns filled in: "{first} {last}".'),
  as: z.enum(coercionNames).optional().describe("The type that the value becomes."),
  trim: z
    .boolean()
    .optional()
    .describe("Drop blanks around text; every `as` but string does so anyway."),
  lowercase: z.boolean().optional().describe("Turn letters to lower case."),
  default: constant.optional().describe("Read in place of an empty value."),
  required: z.boolean().optional().describe("Reject the row when the value is empty."),
  // YAML reads an unquoted null as null.
  empty: z
    .literal(["omit", "keep", "null", null])
    .optional()
    .describe(
      "What becomes of an empty value: left out (omit, the default), null, or kept as it is (keep).",
    ),
  on_invalid: z
    .enum(["reject", "omit"])
    .optional()
    .describe(
      "What a value that cannot be converted costs: the record (reject, the default), or the field alone (omit).",
    ),
});

/** How one field of a record is made, in the full form of the configuration. */
export type FieldRule = Readonly<z.output<typeof members>>;

const rule = members.superRefine((field, context) => {
  const refuse = (message: string, path: readonly string[] = []): void => {
    context.addIssue({ code: "custom", message, path: [...path] });
  };
  const given = (name: keyof FieldRule): boolean => field[name] !== undefined;
  const sources = (["column", "value", "template"] as const).filter(given);
  if (sources.length === 0) refuse("needs one of column, value, template");
  if (sources.length > 1) refuse(`takes one of ${sources.join(", ")}, not more`);
  const answers = (["default", "required", "empty"] as const).filter(
    (name) => given(name) && field[name] !== false,
  );
  if (answers.length > 1) {
    refuse(`takes one of ${answers.join(", ")}: each says what becomes of an empty value`);
  }
  if (field.on_invalid === "omit" && field.required === true) {
    refuse("omit leaves out a field that is required; leave one of them out", ["on_invalid"]);
  }
  if (field.trim === false && field.as !== undefined && field.as !== "string") {
    refuse(`as: ${field.as} never sees the blanks around a value; leave trim out`, ["trim"]);
  }
  if (field.lowercase === true && !lowercased.includes(field.as)) {
    refuse(`as: ${String(field.as)} takes no lowercase; leave it out`, ["lowercase"]);
  }
});

/** Says what is wrong inside an object, because a union's own text is only "Invalid input". */
const field = z.union([column, rule], {
  error: ({ input, errors }) => {
    const [asColumn, asRule] = (errors ?? []) as readonly (readonly z.core.$ZodIssue[])[];
    const issues = isPlainObject(input) ? asRule : undefined;
    if (typeof input === "string") return asColumn?.[0]?.message;
    if (issues === undefined) {
      return "must be a column name, or an object such as { column: headcount, as: integer }";
    }
    return issues.map(({ path, message }) => [...path.map(String), message].join(": ")).join("; ");
  },
});

/** Zod silently drops a member of this name, so it is refused first. */
const properties = z.preprocess(
  (value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      context.addIssue({ code: "custom", message: "a property cannot be named __proto__" });
    }
    return value;
  },
  z.record(z.string(), field),
);

/** How one field of a record is made: the name of a column, or a rule. */
export type MappedField = string | FieldRule;

/** The `record:` object of a sync; `checkMapping` says whether its fields belong to the stream. */
export const recordMappingSchema = z.strictObject({
  account_id: field.optional(),
  contact_id: field.optional(),
  event_id: field.optional(),
  domain: field.optional(),
  email: field.optional(),
  event: field.optional(),
  event_timestamp: field.optional(),
  account_properties: properties.optional(),
  contact_properties: properties.optional(),
  event_properties: properties.optional(),
});

/** Which column feeds which field, and how a value is converted. */
export type RecordMapping = Readonly<z.output<typeof recordMappingSchema>>;
