import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";

import { parse } from "csv-parse";

import { accountMapping } from "./account-mapping.ts";

/** The benchmark's rows, with the sha256 of their CSV and of the correct JSONL for them (README.md). */
export const accounts = {
  rows: 485_208,
  csvSha256: "0eb1d13dc7f8282c8b47396c6262bafd6453a8aa8abd40976a87d5efb6379a95",
  jsonlSha256: "696cc0ee2b843258c9f22c3b9a6bd31631b460d8c27c522c3ee811294812d9c5",
} as const;

const integers: ReadonlySet<string> = new Set(["employees", "founded_year", "annual_revenue"]);
const properties = Object.keys(accountMapping.account_properties);

/** A record as the oracle of README.md makes it from a row that csv-parse read. */
export type OracleRecord = {
  readonly type: "account";
  readonly account_id: string | undefined;
  readonly domain: string | undefined;
  readonly account_properties: Readonly<Record<string, unknown>>;
};

/** The oracle's mapping; it shares only the names of the columns with sluice's. */
export function oracleRecord(row: Readonly<Record<string, string>>): OracleRecord {
  const values: Record<string, unknown> = {};
  for (const name of properties) {
    const text = row[name];
    if (text !== "") values[name] = integers.has(name) ? Number(text) : text;
  }
  return {
    type: "account",
    account_id: row["id"],
    domain: row["domain"],
    account_properties: values,
  };
}

/** The settings of csv-parse as the oracle's reader. */
export const oracleParseOptions = {
  columns: true,
  bom: true,
  record_delimiter: ["\r\n", "\n", "\r"],
};

/** Writes the first rows of the benchmark's, or more, as accounts.csv into a folder; returns its path. */
export async function makeRows(folder: string, rows: number): Promise<string> {
  const file = join(folder, "accounts.csv");
  const generator = fileURLToPath(new URL("gen-accounts.mjs", import.meta.url));
  const args = [generator, "--rows", String(rows), "--out", file];
  await promisify(execFile)(process.execPath, args);
  return file;
}

/** Writes accounts.csv into a folder; returns its path. @throws if its bytes are not those of README.md. */
export async function makeAccounts(folder: string): Promise<string> {
  const file = await makeRows(folder, accounts.rows);
  const sha256 = createHash("sha256");
  await pipeline(createReadStream(file), sha256);
  const found = sha256.digest("hex");
  if (found !== accounts.csvSha256) throw new Error(`${file}: sha256 ${found} is not the data's`);
  return file;
}

/** The sha256 of the correct JSONL for a CSV of accounts. */
export async function oracleSha256(csv: string): Promise<string> {
  const sha256 = createHash("sha256");
  const rows: AsyncIterable<Record<string, string>> = createReadStream(csv).pipe(
    parse(oracleParseOptions),
  );
  for await (const row of rows) sha256.update(`${JSON.stringify(oracleRecord(row))}\n`);
  return sha256.digest("hex");
}

/** The sha256 of the contents of gzip files, joined in order. */
export async function jsonlSha256(files: readonly string[]): Promise<string> {
  const sha256 = createHash("sha256");
  for (const file of files) {
    const unpacked = createReadStream(file).pipe(createGunzip());
    for await (const piece of unpacked as AsyncIterable<Buffer>) sha256.update(piece);
  }
  return sha256.digest("hex");
}
