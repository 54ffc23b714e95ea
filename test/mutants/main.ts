// npm run mutants [-- M1 S3 …]: plants each bug of the table, or those named, in a copy of the project and runs the test that
// must notice it, which must be green without it. A whole run writes its table into docs/mutants.md. Exit code 1 when one is
// not caught. Takes about five minutes on two cores.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { conditions, publish, say, table } from "../../bench/report.ts";
import { runMutants, type Tried } from "./run-mutants.ts";
import { mutants } from "./table.ts";
import { isCaught } from "./verdict.ts";

const head = ["mutant", "what it plants", "the test that must notice it", "", "s"];

const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));
}

function line({ mutant, verdict, seconds }: Tried): readonly string[] {
  const { id, plants, test } = mutant;
  const shown = isCaught(verdict) ? verdict : `**${verdict}**`;
  return [id, plants, `${test.title} (\`${test.file}\`)`, shown, seconds.toFixed(1)];
}

async function main(): Promise<number> {
  const { positionals: ids } = parseArgs({ allowPositionals: true });
  const unknown = ids.filter((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown.length > 0) {
    say(
      `no such mutant: ${unknown.join(", ")}; there are ${mutants.map(({ id }) => id).join(", ")}`,
    );
    return 2;
  }
  const isWhole = ids.length === 0;
  const chosen = isWhole ? mutants : mutants.filter(({ id }) => ids.includes(id));
  const under = conditions("npm run mutants");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tried = await runMutants({ root, say, signal: stopped.signal }, chosen);
  const missed = tried.filter(({ verdict }) => !isCaught(verdict));
  const text = [
    `${under} ${tried.length} mutants, ${tried.length - missed.length} caught.`,
    table([head, ...tried.map(line)]),
  ].join("\n\n");
  if (isWhole) await publish("mutants", text, "mutants");
  process.stdout.write(`${text}\n`);
  return missed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
