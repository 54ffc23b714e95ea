// npm run mutants [-- M1 S3 … | --stale]: plants each bug of the table, those named, or those whose verdict is older
// than their code, in a copy of the project and runs the test that must notice it, which must be green without it.
// Writes the results into docs/proof/mutants.md, even if it is interrupted. Exit code 1 if one is not caught.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { conditions, publish, say } from "../../bench/report.ts";
import type { Mutant } from "./mutant.ts";
import { isFresh, pageTable, readRows, type Row } from "./page.ts";
import { runMutants, type Tried } from "./run-mutants.ts";
import { mutants } from "./table.ts";
import { codeOf } from "./tried-code.ts";
import { isCaught } from "./verdict.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));
}

/** The mutants of the table that were asked for. */
async function chosenOf(
  { ids, isStale }: { readonly ids: readonly string[]; readonly isStale: boolean },
  before: ReadonlyMap<string, Row>,
): Promise<readonly Mutant[]> {
  const named = ids.length === 0 ? mutants : mutants.filter(({ id }) => ids.includes(id));
  if (!isStale) return named;
  const codes = await Promise.all(named.map(async (mutant) => await codeOf(root, mutant)));
  return named.filter(({ id }, index) => !isFresh(before.get(id), codes[index] ?? ""));
}

async function write(
  under: string,
  { tried, before }: { tried: readonly Tried[]; before: ReadonlyMap<string, Row> },
): Promise<void> {
  const rows = new Map([...before, ...tried.map((each) => [each.mutant.id, each] as const)]);
  const caught = mutants.filter(({ id }) => isCaught(rows.get(id)?.verdict ?? "survived"));
  const now = new Set(tried.map(({ mutant }) => mutant.id));
  const others = mutants.filter(({ id }) => !now.has(id));
  const kept = others.filter(({ id }) => rows.has(id)).length;
  const told = [
    kept === 0 ? "" : ` ${kept} rows are as they were.`,
    kept === others.length ? "" : ` **${others.length - kept} have not been tried.**`,
  ];
  const counts = `${mutants.length} mutants, ${caught.length} caught; ${tried.length} were tried now.`;
  const text = [`${under} ${counts}${told.join("")}`, pageTable(mutants, rows)].join("\n\n");
  await publish("mutants", text, "proof/mutants");
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<number> {
  const { positionals: ids, values } = parseArgs({
    allowPositionals: true,
    options: { stale: { type: "boolean", default: false } },
  });
  const unknown = ids.filter((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown.length > 0) {
    say(
      `no such mutant: ${unknown.join(", ")}; there are ${mutants.map(({ id }) => id).join(", ")}`,
    );
    return 2;
  }
  const page = await readFile(join(root, "docs/proof/mutants.md"), "utf8");
  const before = readRows(page);
  const chosen = await chosenOf({ ids, isStale: values.stale }, before);
  const under = conditions("npm run mutants");
  const tried: Tried[] = [];
  try {
    const trials = { root, say, signal: stopped.signal, tried: (one: Tried) => tried.push(one) };
    await runMutants(trials, chosen);
  } finally {
    if (tried.length > 0) await write(under, { tried, before });
  }
  return tried.every(({ verdict }) => isCaught(verdict)) ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  if (!stopped.signal.aborted) throw error;
  say("stopped before all were tried; what was tried is in docs/proof/mutants.md");
  return 1;
});
