import { z } from "zod";

import type { Check } from "../check.ts";
import { mustBe, NotShown } from "../failed.ts";
import { secretsIn, secretsOf } from "./secrecy.ts";

/** The input of the checks of a configuration: a connector of either kind, and one configuration that works. */
export type Configured = {
  readonly source: { readonly config: z.ZodType };
  readonly harness: { readonly config: Readonly<Record<string, unknown>> };
};

/** S1 to S4: how a connector's `config` describes itself. */
export const schemaChecks: readonly Check<Configured>[] = [
  {
    id: "S1",
    title: "describes every member of its config",
    why:
      "The schema is all that a person and an editor see of a connector: a member that it does not describe is " +
      "guessed, or found by reading code.",
    run: async ({ source }) => {
      const members = described(jsonSchemaOf(source.config), "").filter(
        ({ path }) => path !== folderMember,
      );
      const bare = members.filter(({ description }) => description.trim() === "");
      mustBe(
        bare.length === 0,
        `a description (\`.describe()\`) of each of ${members.length} members`,
        `none of ${bare.map(({ path }) => path).join(", ")}`,
      );
    },
  },
  {
    id: "S2",
    title: "marks its secrets",
    why: "Members not marked with `secret()` are printed by logs, errors and `sluice check`.",
    run: async ({ source, harness }) => {
      mustBeValid(source.config, harness.config);
      const shown = [...secretsOf(source.config), ...secretsIn(source.config, harness.config)];
      if (shown.length === 0) throw new NotShown("no member of the config is named like a secret");
      const open = new Set(shown.filter(({ isHidden }) => !isHidden).map(({ path }) => path));
      mustBe(
        open.size === 0,
        `\`secret()\` for what is named like a secret, or holds a password`,
        `a plain value for ${[...open].join(", ")}`,
      );
    },
  },
  {
    id: "S3",
    title: "refuses a wrong config by its member, before it reads",
    why: "A wrong value that is let through fails a run at night, or reads something else than was meant.",
    run: async ({ source, harness }) => {
      mustBeValid(source.config, harness.config);
      const { properties } = jsonSchemaOf(source.config);
      for (const [name, member] of Object.entries(properties)) {
        if (name !== folderMember) mustRefuse(source.config, harness.config, { name, member });
      }
      const unknown = { ...harness.config, [unknownMember]: 1 };
      mustBe(
        namesRefused(source.config, unknown)?.includes(unknownMember) === true,
        `an unknown member to be refused by its name (\`z.strictObject\`)`,
        "a config without complaint, or one about something else",
      );
    },
  },
  {
    id: "S4",
    title: "names each required member that is missing",
    why: "A member that is missed only by the source gives an error about the source, and nobody knows what to write.",
    run: async ({ source, harness }) => {
      mustBeValid(source.config, harness.config);
      const { required } = jsonSchemaOf(source.config);
      const byRule = Object.keys(harness.config).filter((name) => {
        const names = namesRefused(source.config, lacking(harness.config, name));
        mustBe(names?.length !== 0, `a config without ${name} to be refused by a name`, "none");
        return names !== undefined;
      });
      if (required.length + byRule.length === 0) {
        throw new NotShown("no member of the config is required by itself");
      }
      for (const name of required) {
        for (const config of [lacking(harness.config, name), {}]) {
          const names = namesRefused(source.config, config);
          mustBe(
            names?.includes(name) === true,
            `a config without ${name} to be refused by that name`,
            names === undefined ? "no refusal" : `one that names ${names.join(", ")}`,
          );
        }
      }
    },
  },
];

/** Filled in by the engine: nobody writes it. */
const folderMember = "folder";

const unknownMember = "no_such_member";

const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

const anySchema = z.looseObject({
  type: z
    .union([z.string(), z.array(z.string())])
    .transform((types) => [types].flat())
    .optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().default(""),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.looseObject({}).optional().catch(undefined),
  anyOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
  allOf: z.array(z.unknown()).default([]),
});

/** The JSON Schema of what a person writes. @throws {CheckFailed} it is not an object, or has no members. */
function jsonSchemaOf(config: z.ZodType): z.output<typeof objectSchema> {
  const schema = z.toJSONSchema(config, { io: "input", unrepresentable: "any" });
  const found = objectSchema.safeParse(schema);
  const names = found.success ? Object.keys(found.data.properties) : [];
  mustBe(
    found.success && names.some((name) => name !== folderMember),
    "a config that is an object with members",
    "another schema",
  );
  return found.data;
}

type Described = { readonly path: string; readonly description: string };

/** Every member with its description, including those of members, of list items and of alternatives. */
function described(schema: unknown, at: string): readonly Described[] {
  const { properties, items, anyOf, oneOf, allOf } = anySchema.parse(schema);
  return [
    ...Object.entries(properties).flatMap(([name, member]) => {
      const path = at === "" ? name : `${at}.${name}`;
      const { description } = anySchema.parse(member);
      return [{ path, description }, ...described(member, path)];
    }),
    ...[...(items === undefined ? [] : [items]), ...anyOf, ...oneOf, ...allOf].flatMap((one) =>
      described(one, at),
    ),
  ];
}

/** JSON types that a member takes; none when its schema does not say. */
function typesOf(schema: unknown): ReadonlySet<string> {
  const { type, const: only, enum: some = [], anyOf, oneOf } = anySchema.parse(schema);
  const values = only === undefined ? some : [only];
  return new Set([
    ...(type ?? values.map(typeOf)),
    ...[...anyOf, ...oneOf].flatMap((one) => [...typesOf(one)]),
  ]);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Values that YAML may give; few members take any of them. */
const wrongValues: readonly unknown[] = [null, { unexpected: true }, [[["unexpected"]]]];

/**
 * @throws {CheckFailed} the schema takes a value of a type that the member does not have, or does not name
 * the member.
 */
function mustRefuse(
  config: z.ZodType,
  right: Configured["harness"]["config"],
  { name, member }: { readonly name: string; readonly member: unknown },
): void {
  const types = typesOf(member);
  const wrong = wrongValues.filter((value) => !types.has(typeOf(value)));
  const outcomes = wrong.map((value) => namesRefused(config, { ...right, [name]: value }));
  // A schema that does not state its types must refuse at least one of the values.
  const refused = outcomes.filter((names) => names?.includes(name) === true).length;
  const expected = types.size === 0 ? 1 : wrong.length;
  const [first] = types;
  mustBe(
    refused >= expected,
    `${name} to be refused by its name when it is not ${first ?? "what it should be"}`,
    outcomes.includes(undefined) ? "no refusal" : "one that does not name it",
  );
}

/** The top members that a refusal names; undefined when there is none. */
function namesRefused(config: z.ZodType, input: unknown): readonly string[] | undefined {
  const parsed = config.safeParse(input);
  return parsed.success ? undefined : [...new Set(parsed.error.issues.flatMap(namesOf))];
}

/** @throws {CheckFailed} the harness's own config is wrong: then no refusal means anything. */
function mustBeValid(schema: z.ZodType, config: unknown): void {
  const names = namesRefused(schema, config);
  const came = `a refusal that names ${names?.join(", ")}`;
  mustBe(names === undefined, "the harness's own config to be valid", came);
}

function namesOf(issue: z.core.$ZodIssue): readonly string[] {
  const [name] = issue.path;
  if (name !== undefined) return [String(name)];
  if (issue.code === "unrecognized_keys") return issue.keys;
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(namesOf) : [];
}

function lacking(config: Configured["harness"]["config"], left: string): object {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name !== left));
}
