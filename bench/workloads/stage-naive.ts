// The same work as one would write it in an hour: csv-parse, zod, JSON.stringify, createGzip.
// node bench/workloads/stage-naive.ts --csv accounts.csv --folder out --level 6
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";

import { parse } from "csv-parse";
import { z } from "zod";

import { tellUsage } from "../usage.ts";
import { oracleParseOptions, oracleRecord } from "./accounts.ts";

const options = {
  csv: { type: "string" },
  folder: { type: "string" },
  level: { type: "string" },
} as const;
const { csv = "", folder = "", level = "6" } = parseArgs({ options }).values;

const text = z.string().min(1);
const schema = z.strictObject({
  type: z.literal("account"),
  account_id: text,
  domain: text,
  account_properties: z.record(z.string(), z.union([z.string(), z.number()])),
});

let records = 0;

async function* lines(rows: AsyncIterable<Record<string, string>>): AsyncGenerator<string> {
  for await (const row of rows) {
    const { success, data } = schema.safeParse(oracleRecord(row));
    if (!success) continue;
    records += 1;
    yield `${JSON.stringify(data)}\n`;
  }
}

const file = join(folder, "accounts.jsonl.gz");
await pipeline(
  createReadStream(csv),
  parse(oracleParseOptions),
  lines,
  createGzip({ level: Number(level) }),
  createWriteStream(file),
);
tellUsage({ files: [file], records, unchanged: 0 });
