// Finds DuckDB for the benchmark, or installs it from the package registry; it is not a dependency of ours.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { mustRun, say } from "./child.mjs";

const duckdb = { name: "@duckdb/node-api", version: "1.5.6-r.1" };

/** The folder of DuckDB's module, in the user's cache; installs it there if it is missing. */
export async function getDuckdb(options) {
  const cache = join(options.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sluice");
  const folder = join(cache, `duckdb-${duckdb.version}`);
  if (existsSync(folder)) return folder;
  say(`installing DuckDB ${duckdb.version} into ${folder} (npm install), for the benchmark alone`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const scratch = mkdtempSync(join(cache, "duckdb-"));
  try {
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    const what = `${duckdb.name}@${duckdb.version}`;
    await mustRun("npm", ["install", "--prefix", scratch, ...quiet, what], options);
    // All or nothing: the leftovers of a killed installation have another name.
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
