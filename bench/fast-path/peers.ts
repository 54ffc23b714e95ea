import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Ended, run } from "../child.ts";
import { benchApiKey } from "../project.ts";
import { makeEmpty, usageSchema } from "../rounds.ts";
import { linesInAnyOrder } from "../workloads/oracle.ts";

const duckdbCopy = fileURLToPath(new URL("../workloads/duckdb-copy.ts", import.meta.url));

/** The input of DuckDB's work on a CSV. */
export type DuckdbCopy = {
  /** Where it is installed. */
  readonly duckdb: string;
  readonly csv: string;
  /** Emptied before the copy begins. */
  readonly folder: string;
};

/** Runs DuckDB's COPY. @returns also the files that it wrote */
export async function copyByDuckdb({
  duckdb,
  csv,
  folder,
}: DuckdbCopy): Promise<Ended & { readonly files: readonly string[] }> {
  await makeEmpty(folder);
  const args = [duckdbCopy, "--duckdb", duckdb, "--csv", csv, "--folder", folder];
  const ended = await runPeer(process.execPath, args, folder);
  return { ...ended, files: usageSchema.parse(JSON.parse(ended.lastLine)).files };
}

/** @throws {Error} the files do not hold the oracle's lines, in any order: DuckDB's threads do not keep the order */
export async function checkLines(files: readonly string[], lines: string): Promise<void> {
  const found = await linesInAnyOrder(files);
  if (found !== lines) throw new Error(`DuckDB wrote ${found}, and the oracle ${lines}`);
}

/** Packs a file with `pigz -1` in one thread. @returns also the packed file */
export async function packByPigz(
  file: string,
  folder: string,
): Promise<Ended & { readonly packed: string }> {
  await makeEmpty(folder);
  const packed = join(folder, "packed.gz");
  // pigz names its output after its input, whose folder is not emptied.
  const args = ["-c", `exec pigz -1 -p 1 -c "$0" > "$1"`, file, packed];
  return { ...(await runPeer("/bin/sh", args, folder)), packed };
}

/** Imports a CSV into a table of a new database. @throws {Error} the table does not have that many rows */
export async function importBySqlite(csv: string, folder: string, rows: number): Promise<Ended> {
  await makeEmpty(folder);
  const database = join(folder, "imported.db");
  const ended = await runPeer("sqlite3", ["-csv", database, `.import "${csv}" accounts`], folder);
  const count = "select count(distinct id) from accounts";
  const { lastLine } = await runPeer("sqlite3", [database, count], folder);
  if (lastLine !== String(rows)) throw new Error(`sqlite3 imported ${lastLine} of ${rows} rows`);
  return ended;
}

/** PUTs files to an address that ends with a slash, one after the other. */
export async function putByCurl(
  files: readonly string[],
  address: string,
  folder: string,
): Promise<Ended> {
  const args = ["--silent", "--show-error", "--fail", "--upload-file", `{${files.join(",")}}`];
  return await runPeer("curl", [...args, address], folder);
}

// As a script without sluice would do it: ask for an address, PUT, confirm, and end if one of them fails.
const sendAll = `
set -e
api=$0 key=${benchApiKey}
post() { curl -sS --fail -H "x-api-key: $key" -H "content-type: application/json" -d "$2" "$api/ingestion/$1"; }
member() { sed 's/.*"'$1'":"\\([^"]*\\)".*/\\1/'; }
for file; do
  drawn=$(post generate-upload-url '{"stream":"account","content_type":"application/jsonl","content_encoding":"gzip"}')
  url=$(printf %s "$drawn" | member upload_url)
  curl -sS --fail -H "Content-Type: application/jsonl" -H "Content-Encoding: gzip" --upload-file "$file" "$url"
  file_key=$(printf %s "$drawn" | member file_key)
  post confirm-upload '{"file_key":"'"$file_key"'"}' > /dev/null
done`;

/** Sends files of accounts to the service at an address, one after the other. @throws {Error} it refuses one */
export async function sendByCurl(
  files: readonly string[],
  address: string,
  folder: string,
): Promise<Ended> {
  return await runPeer("/bin/sh", ["-c", sendAll, address, ...files], folder);
}

/** The total size of files in bytes. */
export async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Runs the program of a peer. @throws {Error} it is not installed, or does not end well */
async function runPeer(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await run(args, cwd, { program });
  if (ended.code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${ended.code}`);
  return ended;
}
