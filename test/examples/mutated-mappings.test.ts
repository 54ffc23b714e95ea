import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { sources } from "../../connectors/registry.ts";
import { rowsOfFile } from "../../src/cli/test/rows-of-file.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { membersOf } from "../../src/config/schema/members.ts";
import { checkMapping } from "../../src/mapping/check-mapping.ts";
import { compileMapping } from "../../src/mapping/compile.ts";
import { placedRules } from "../../src/mapping/placed-rules.ts";
import {
  recordMappingSchema,
  type FieldRule,
  type RecordMapping,
} from "../../src/mapping/schema.ts";
import { loadTests, type TestFile } from "../../src/sync-tests/load.ts";
import { runTests } from "../../src/sync-tests/run.ts";

const examples = [
  ["csv-to-accounts", "accounts.yaml"],
  ["postgres-nightly", "accounts.yaml"],
  ["webhook-to-events", "submissions.yaml"],
] as const;

async function example(
  project: string,
  name: string,
): Promise<{ config: Config; tests: TestFile }> {
  const cwd = join(import.meta.dirname, "../../examples", project);
  const env = { CRM_DATABASE_URL: "postgres://me@here/crm" };
  const config = await loadConfig({ cwd, env, connectors: sources });
  const path = join(cwd, "tests", name);
  const bytes = await readFile(path);
  return { config, tests: loadTests({ path, name, bytes, text: bytes.toString() }, config.syncs) };
}

type Example = Awaited<ReturnType<typeof example>>;

async function run(
  { config, tests }: Example,
  mapping: RecordMapping,
): ReturnType<typeof runTests> {
  return await runTests(tests, {
    mapping: compileMapping({ mapping, stream: tests.sync.stream }),
    readFile: (path) => rowsOfFile(config, tests.sync, path),
  });
}

/** How many cases fail with this mapping. */
async function failures(one: Example, mapping: RecordMapping): Promise<number> {
  const results = await run(one, mapping);
  return results.filter(({ differences }) => differences.length > 0).length;
}

it.each(examples)("the tests of the example %s pass", async (project, name) => {
  const one = await example(project, name);
  expect(await failures(one, one.tests.sync.record ?? {})).toBe(0);
});

/** Edits that a person may make to a rule, by name; an edit that the schema refuses could not be deployed. */
const edits: Readonly<Record<string, (rule: FieldRule) => FieldRule | undefined>> = {
  "left out": () => undefined,
  "of a column that nobody has": (rule) => ({ ...rule, column: "none" }),
  "of the key's column": (rule) => ({ ...rule, column: "id" }),
  "a constant": (rule) => ({ ...rule, column: undefined, value: "12" }),
  "without its type": (rule) => ({ ...rule, as: undefined }),
  "as: string": (rule) => ({ ...rule, as: "string" }),
  "as: number": (rule) => ({ ...rule, as: "number" }),
  "as: integer": (rule) => ({ ...rule, as: "integer" }),
  "as: boolean": (rule) => ({ ...rule, as: "boolean" }),
  "as: email": (rule) => ({ ...rule, as: "email" }),
  "as: datetime": (rule) => ({ ...rule, as: "datetime" }),
  trimmed: (rule) => ({ ...rule, trim: true }),
  lowercased: (rule) => ({ ...rule, lowercase: true }),
  required: (rule) => ({ ...rule, required: true }),
  "with a default": (rule) => ({ ...rule, default: "2001-01-01" }),
  "with a number as default": (rule) => ({ ...rule, default: 1 }),
  "null where it is empty": (rule) => ({ ...rule, empty: "null" }),
  "kept where it is empty": (rule) => ({ ...rule, empty: "keep" }),
  "left out where it is invalid": (rule) => ({ ...rule, on_invalid: "omit" }),
};

/** Every mapping that one edit of one field makes and a configuration accepts, by the name of the edit. */
function mutated(
  mapping: RecordMapping,
  stream: TestFile["sync"]["stream"],
): ReadonlyMap<string, RecordMapping> {
  const { texts, properties } = placedRules(mapping, stream);
  const edited = [...texts, ...properties].flatMap(({ path: [group = "", name], rule }) =>
    Object.entries(edits).map(([edit, change]): [string, unknown] => {
      const to = change(rule);
      const isSame = JSON.stringify(to) === JSON.stringify(rule);
      const field = name ?? group;
      const within =
        name === undefined
          ? mapping
          : membersOf(Object.entries(mapping).find(([other]) => other === group)?.[1]);
      const changed = Object.fromEntries(
        Object.entries({ ...within, [field]: to }).filter(([, value]) => value !== undefined),
      );
      const all = name === undefined ? changed : { ...mapping, [group]: changed };
      return [`${field}: ${edit}`, isSame ? undefined : all];
    }),
  );
  const accepted = edited.flatMap(([what, data]): [string, RecordMapping][] => {
    const parsed = recordMappingSchema.safeParse(data);
    return parsed.success && checkMapping(parsed.data, stream).length === 0
      ? [[what, parsed.data]]
      : [];
  });
  return new Map(accepted);
}

/** Cells that reveal what a rule does: no type accepts all of them. */
const cells = [
  "| |Acme| Acme |a.example| A.EXAMPLE |https://B.example/about|ada@c.example|null|{}",
  "0|1|007|+5| 12 |12.5|1e3|9007199254740993|1,000|-0|NaN|true|No",
  "2026-01-31|2026-02-30| 2026-01-31 |2026-01-31T08:00:00Z|2026-01-31T08:00:00",
].flatMap((line) => line.split("|"));

/** The outcomes of rows in which each of these columns holds each of the cells, and the others hold valid values. */
async function outcomesOf({ config, tests }: Example, mapping: RecordMapping): Promise<string> {
  const { columns } = compileMapping({
    mapping: tests.sync.record ?? {},
    stream: tests.sync.stream,
  });
  const fine = { id: "1", website: "a.example" };
  const rows = columns.flatMap((column) => cells.map((cell) => ({ ...fine, [column]: cell })));
  const one = { name: "odd", path: [], input: { rows }, expected: [], isSingle: false };
  const [result] = await run({ config, tests: { ...tests, cases: [one] } }, mapping);
  return JSON.stringify(
    result?.outcomes.map((outcome) => ("record" in outcome ? outcome.record : outcome)),
  );
}

it("fails of the example's mapping every edit that makes a difference to any row", async () => {
  const one = await example("csv-to-accounts", "accounts.yaml");
  const { record = {}, stream } = one.tests.sync;
  const asItIs = await outcomesOf(one, record);
  const caught: string[] = [];
  const unseen: string[] = [];
  const harmless: string[] = [];
  for (const [what, mapping] of mutated(record, stream)) {
    ((await failures(one, mapping)) > 0 ? caught : unseen).push(what);
    if ((await outcomesOf(one, mapping)) === asItIs) harmless.push(what);
  }
  // Edits that no test can detect: `as: string` and `on_invalid` of a text, `trim` of a value that is trimmed anyway,
  // and the handling of an empty key or domain, without which no record can exist.
  expect(unseen).toEqual(harmless);
  expect({ caught: caught.length, unseen: unseen.length }).toEqual({ caught: 145, unseen: 21 });
});
