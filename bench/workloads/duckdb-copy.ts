// Writes a CSV of accounts as JSON lines with DuckDB alone, in gzip files about the size of our chunks:
// node bench/workloads/duckdb-copy.ts --duckdb ~/.cache/sluice/duckdb-1.5.6-r.1 --csv accounts.csv --folder out
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { z } from "zod";

import { tellUsage } from "../usage.ts";
import { accountMapping } from "./account-mapping.ts";

/** The size of one of our chunks: 100,000 records. */
const fileBytes = 8_500_000;

/** The part of DuckDB's module that is used here; it is not one of our packages. */
type Duckdb = {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }> }>;
    }>;
  };
};

const options = {
  duckdb: { type: "string", default: "" },
  csv: { type: "string", default: "" },
  folder: { type: "string", default: "" },
} as const;
const { duckdb, csv, folder } = parseArgs({ options }).values;

const properties = Object.entries(accountMapping.account_properties);
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const list = (of: Readonly<Record<string, string>>): string =>
  `{${Object.entries(of)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")}}`;

const types = {
  id: "'varchar'",
  domain: "'varchar'",
  ...Object.fromEntries(
    properties.map(([name, of]) => [name, typeof of === "string" ? "'varchar'" : "'bigint'"]),
  ),
};
const record = {
  type: "'account'",
  account_id: "id",
  domain: "domain",
  account_properties: list(Object.fromEntries(properties.map(([name]) => [name, name]))),
};
const format = `header = true, delim = ',', quote = '"', escape = '"', nullstr = ''`;
const rows = `read_csv(${quote(csv)}, ${format}, columns = ${list(types)})`;
// A patch has no null members, so it leaves out the empty ones, as the oracle does. Its result is already a
// line, which CSV without quotes writes unchanged.
const copy = `copy (select json_merge_patch('{}', to_json(${list(record)}))::varchar from ${rows})
  to ${quote(folder)} (format csv, header false, quote '', escape '', delimiter E'\\x01',
    compression gzip, file_extension 'jsonl.gz', file_size_bytes ${fileBytes}, overwrite_or_ignore true)`;

const { DuckDBInstance } = z
  .custom<Duckdb>()
  .parse(createRequire(`${duckdb}/`)("@duckdb/node-api"));
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const [[written] = []] = (await connection.runAndReadAll(copy)).getRows();
const files = (await readdir(folder)).map((name) => join(folder, name));
tellUsage({ files: files.toSorted(), records: Number(written), unchanged: 0 });
