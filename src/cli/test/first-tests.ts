import { compileMapping } from "../../mapping/compile.ts";
import { placedRules } from "../../mapping/placed-rules.ts";
import { columnsOf } from "../../mapping/read-field.ts";
import { recordMappingSchema, type RecordMapping } from "../../mapping/schema.ts";
import { keyFieldOf, type Row } from "../../records/streams.ts";
import { expectationOf } from "../../sync-tests/compare.ts";
import { yamlItem } from "../../sync-tests/edit-yaml.ts";
import { outcomesOfRows } from "../../sync-tests/run.ts";
import type { SuggestedSync } from "../project/suggest-sync.ts";

/** An example cell of a column, by what the column becomes. */
const examples: ReadonlyMap<string | undefined, unknown> = new Map<string | undefined, unknown>([
  ["boolean", true],
  ["date", "2026-01-31"],
  ["datetime", "2026-01-31T08:30:00Z"],
  ["domain", "https://www.acme.example/about"],
  ["email", "ada@acme.example"],
  ["integer", 12],
  ["json", '{"a":1}'],
  ["number", 12.5],
]);

/**
 * The first tests of a sync, made up so that they contain no row of the source: a row that has everything, and one
 * without its key.
 */
export async function firstTests({ name, stream, record }: SuggestedSync): Promise<string> {
  const rules = recordMappingSchema.parse(record);
  const mapping = compileMapping({ mapping: rules, stream });
  const row = exampleRow(rules, stream);
  const empty = keyColumns(rules, stream).map((column): [string, unknown] => [column, ""]);
  const rows: readonly Row[] = [row, { ...row, ...Object.fromEntries(empty) }];
  // As sources give them: as text.
  const cells = rows.map((each) =>
    Object.fromEntries(Object.entries(each).map(([column, value]) => [column, String(value)])),
  );
  const outcomes = await outcomesOfRows(cells, { mapping, stream });
  const cases = ["a row that has everything", "a row without its key"].flatMap((title, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) return [];
    const one = { name: title, row: rows[index], ...expectationOf(outcome, {}, stream) };
    return ["", ...yamlItem(one, 2).map((line) => `  ${line}`)];
  });
  return [
    "# What the mapping makes of rows: `sluice test` runs this, without the source and the service. Add rows as you",
    "# have them, without what is expected: `sluice test --update` writes what becomes of them.",
    `sync: ${name}`,
    "cases:",
    ...cases.slice(1),
    "",
  ].join("\n");
}

function exampleRow(mapping: RecordMapping, stream: SuggestedSync["stream"]): Row {
  const { texts, properties } = placedRules(mapping, stream);
  const keys = keyColumns(mapping, stream);
  const row = new Map<string, unknown>();
  for (const { rule } of [...texts, ...properties]) {
    for (const column of columnsOf(rule)) {
      const example = examples.get(rule.as);
      // A column that two fields read gets the example for the field with a type.
      if (example !== undefined) row.set(column, example);
      else if (!row.has(column)) row.set(column, keys.includes(column) ? 1001 : "Acme");
    }
  }
  return Object.fromEntries(row);
}

function keyColumns(mapping: RecordMapping, stream: SuggestedSync["stream"]): readonly string[] {
  const { texts } = placedRules(mapping, stream);
  const key = texts.find(({ path }) => path[0] === keyFieldOf(stream));
  return key === undefined ? [] : columnsOf(key.rule);
}
