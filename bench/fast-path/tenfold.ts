import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { say } from "../report.ts";
import { makeRows, oracleSha256 } from "../workloads/accounts.ts";
import { bestInTurn, ratioOf, type Took } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";
import { stageCsv } from "./staging.ts";

type Passes = Record<"first" | "unchanged", () => Promise<Took>>;

/** The first load of `rows` rows, whose keys come in random order, and the same rows once more. */
async function passesOf(parent: string, rows: number): Promise<Passes> {
  const folder = join(parent, String(rows));
  await mkdir(folder);
  say(`making ${rows.toLocaleString("en")} rows, and the oracle's`);
  const csv = await makeRows(folder, rows);
  const staging = { csv, rows, sha256: await oracleSha256(csv) };
  const known = join(folder, "known");
  return {
    first: async () => await stageCsv(staging, known, { send: "changed" }),
    unchanged: async () => await stageCsv(staging, known, { send: "changed", isKnown: true }),
  };
}

/** All rows compared with a tenth of them: how much more a row costs. */
export async function measureTenfold({ folder, rows, rounds }: PartInput): Promise<Figures> {
  const tenth = await passesOf(folder, Math.round(rows / 10));
  const whole = await passesOf(folder, rows);
  const programs = {
    "a tenth, first": tenth.first,
    "a tenth, unchanged": tenth.unchanged,
    "all, first": whole.first,
    "all, unchanged": whole.unchanged,
  };
  const best = await bestInTurn(programs, { rounds, warmUp: false });
  return {
    firstTenfold: ratioOf(best("all, first"), best("a tenth, first")),
    unchangedTenfold: ratioOf(best("all, unchanged"), best("a tenth, unchanged")),
  };
}
