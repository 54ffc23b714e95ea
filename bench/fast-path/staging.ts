import { join } from "node:path";

import { makeEmpty, runStaging, stagingBySluice, type StagingRun } from "../rounds.ts";
import { jsonlSha256, makeRows } from "../workloads/accounts.ts";
import { type Oracle, writeOracle } from "../workloads/oracle.ts";
import { bestInTurn, ratioOf, type Took } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";
import { bytesOf, checkLines, copyByDuckdb, importBySqlite, packByPigz } from "./peers.ts";

/** The rows to stage, and the expected result. */
export type Staging = { readonly csv: string; readonly rows: number; readonly sha256: string };

/** Stages a CSV into a folder. `isKnown`: its rows were staged there before, so that none is sent. */
export async function stageCsv(
  { csv, rows, sha256 }: Staging,
  folder: string,
  how: { readonly send: "all" | "changed"; readonly isKnown?: boolean },
): Promise<StagingRun> {
  const members = { path: csv };
  const staging = stagingBySluice({ connector: "csv", members, send: how.send });
  const args = [...staging, "--folder", folder];
  if (how.isKnown === true) return await runStaging(args, folder, { records: 0, unchanged: rows });
  await makeEmpty(folder);
  return await runStaging(args, folder, { records: rows, sha256 });
}

/** The compared programs, in the order of their turns. */
function programsOf(
  { folder, rows, duckdb }: PartInput,
  files: { readonly csv: string; readonly jsonl: string },
  oracle: Oracle,
): {
  readonly programs: Record<
    "duckdb" | "pigz" | "sqlite3" | "all" | "first" | "unchanged",
    () => Promise<Took>
  >;
  /** The size of the chunks of the last `all`. */
  readonly chunkBytes: () => number;
} {
  const { csv, jsonl } = files;
  const staging = { csv, rows, sha256: oracle.sha256 };
  const [output, known] = [join(folder, "output"), join(folder, "known")];
  let chunkBytes = Number.NaN;
  const programs = {
    duckdb: async () => {
      const copied = await copyByDuckdb({ duckdb, csv, folder: output });
      await checkLines(copied.files, oracle.lines);
      return copied;
    },
    pigz: async () => {
      const packed = await packByPigz(jsonl, output);
      if ((await jsonlSha256([packed.packed])) !== oracle.sha256)
        throw new Error("pigz: other bytes");
      return packed;
    },
    sqlite3: async () => await importBySqlite(csv, output, rows),
    all: async () => {
      const staged = await stageCsv(staging, output, { send: "all" });
      chunkBytes = await bytesOf(staged.usage.files);
      return staged;
    },
    first: async () => await stageCsv(staging, known, { send: "changed" }),
    unchanged: async () => await stageCsv(staging, known, { send: "changed", isKnown: true }),
  };
  return { programs, chunkBytes: () => chunkBytes };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** CSV to chunks, without Temporal and the service, compared with programs that do a part of it. */
export async function measureStaging(input: PartInput): Promise<Figures> {
  const csv = await makeRows(input.folder, input.rows);
  const jsonl = join(input.folder, "accounts.jsonl");
  const oracle = await writeOracle(csv, jsonl);
  const { programs, chunkBytes } = programsOf(input, { csv, jsonl }, oracle);
  const best = await bestInTurn(programs, { rounds: input.rounds, warmUp: true });
  return {
    allBesideDuckdb: ratioOf(best("all"), best("duckdb")),
    allBesidePigz: ratioOf(best("all"), best("pigz")),
    firstBesideDuckdb: ratioOf(best("first"), best("duckdb")),
    unchangedBesideDuckdb: ratioOf(best("unchanged"), best("duckdb")),
    unchangedBesideSqlite: ratioOf(best("unchanged"), best("sqlite3")),
    sizeBesideZlib: {
      value: chunkBytes() / oracle.zlibBytes,
      from: `${megabytes(chunkBytes())} MB beside ${megabytes(oracle.zlibBytes)}`,
    },
  };
}
