import { inboxStep } from "../../inbox/postgres/tables.ts";
import { quoteName } from "../../postgres/names.ts";
import { adoptionStep } from "./adoption-step.ts";
import { firstStep } from "./first-step.ts";
import { keyTables } from "./keys/tables.ts";

/**
 * The schema as numbered steps, in SQL with `$schema.` before each name; step n brings a store of version n-1 to n. A
 * step that was released is never edited: a change is a new step at the end.
 */
export const storeSteps: readonly (readonly string[])[] = [
  [...firstStep, ...keyTables, ...inboxStep],
  // Why the records of a staging are sent, and what a run is held for.
  [
    "alter table $schema.stagings add column changes text",
    "alter table $schema.runs add column hold text",
  ],
  // The host of each lane of a run, and the state folder of each process.
  [
    "alter table $schema.hosts add column folder text not null default ''",
    "create table $schema.run_hosts (\n  run_id text not null,\n  lane bigint not null,\n  host_id text not null,\n" +
      "  primary key (run_id, lane)\n)",
  ],
  // For pages: the newest runs of a sync, and the rejects of a run by their codes.
  [
    "create index runs_newest on $schema.runs (sync, rowid)",
    "create index rejects_by_code on $schema.rejects (run_id, code, chunk, ordinal)",
  ],
  adoptionStep,
  // Rejects by their key. A hash index, because a key may be longer than an entry of a btree.
  ["create index rejects_by_key on $schema.rejects using hash (key)"],
  // Which rejects are open, marked in their rows, and how many each staging has; rejects by code over all runs.
  [
    "alter table $schema.rejects add column is_open bigint not null default 1",
    "update $schema.rejects set is_open = 0 where replayed_by is not null or code in ('row_gone', 'refused_again')",
    "alter table $schema.stagings add column open_rejects bigint not null default 0",
    "update $schema.stagings t set open_rejects = (select count(*) from $schema.rejects r\n" +
      "  where r.run_id = t.run_id and r.chunk = t.chunk and r.stage = t.stage and r.is_open = 1)",
    "create index stagings_with_open_rejects on $schema.stagings (run_id) where open_rejects > 0",
    "create index rejects_of_code on $schema.rejects (code, run_id, is_open)",
  ],
  // When a part left, was uploaded and was accepted, in Unix ms, for the time line of its run.
  ["left_at", "uploaded_at", "accepted_at"].map(
    (column) => `alter table $schema.receipts add column ${column} bigint`,
  ),
  // The keys that whole readings of sources brought, and those that are gone.
  [
    "alter table $schema.runs add column vanished bigint",
    "create table $schema.whole_readings (\n  set_id bigint primary key,\n  run_id text not null,\n" +
      "  ids bytea not null\n)",
    "create table $schema.vanished (\n  set_id bigint not null,\n  run_id text not null,\n  at text not null,\n" +
      "  ids bytea not null,\n  primary key (set_id, run_id)\n)",
  ],
  // Which events of the inbox are removed next, and since when that is known: their retention counts from there.
  ["leaving_seq", "leaving_since"].map(
    (column) =>
      `alter table $schema.inbox_connections add column ${column} bigint not null default 0`,
  ),
  // Names of fields may be longer than an entry of an index; the lock of their set keeps each one from coming twice.
  ["alter table $schema.fingerprint_fields drop constraint fingerprint_fields_set_id_name_key"],
  // The text of a mapping as the last run was opened with it, which may send nothing.
  ["alter table $schema.kept_mappings add column opened text"],
];

/** The statements of the steps after a version, for one schema. */
export function ddlAfter(version: number, schema: string): readonly string[] {
  const name = quoteName(schema);
  return storeSteps
    .slice(version)
    .flat()
    .map((statement) => statement.replaceAll("$schema.", () => `${name}.`));
}

/** The names of all tables. */
export const tableNames: ReadonlySet<string> = new Set(
  storeSteps
    .flat()
    .flatMap((statement) => /^create table \$schema\.(\w+)/.exec(statement)?.[1] ?? []),
);
