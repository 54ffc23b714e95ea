import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Checked } from "../bench/bounds.ts";
import { type Ended, run } from "../bench/child.ts";
import { say, spread } from "../bench/report.ts";
import { bin } from "../test/support/project/project.ts";

// Here and not among the tests: those run next to others on busy machines, where a bound of half a second says more
// about the machine than about the program. Both commands of a pair run on the same machine.

const [cases, rejected, rounds] = [100, 10, 9];
const overMsMax = 500;

const sluiceYaml = `version: 1
api: { base_url: "http://127.0.0.1:1", api_key: none }
connections:
  exports: { connector: csv, path: ./accounts.csv }
syncs:
  accounts:
    from: exports
    stream: account
    record:
      account_id: id
      domain: { column: domain, as: domain }
      account_properties: { name: name, employees: { column: employees, as: integer } }
`;

const properties = (at: number): string => `{ name: Firm ${at}, employees: ${at} }`;

/** Cases, of which the first `rejected` are rejects. */
function testsYaml(): string {
  const each = Array.from({ length: cases }, (_, at) => {
    const isRejected = at < rejected;
    const employees = isRejected ? "a dozen" : at;
    const row = `{ id: a${at}, domain: https://www.c${at}.example/, name: Firm ${at}, employees: ${employees} }`;
    const made = isRejected
      ? "reject: not_integer"
      : `record: { account_id: a${at}, domain: c${at}.example, account_properties: ${properties(at)} }`;
    return `  - name: account ${at}\n    row: ${row}\n    ${made}\n`;
  });
  return `sync: accounts\ncases:\n${each.join("")}`;
}

async function sluice(folder: string, args: readonly string[], says = ""): Promise<Ended> {
  const ended = await run([bin, ...args], folder);
  if (ended.code === 0 && ended.lastLine.includes(says)) return ended;
  throw new Error(`sluice ${args.join(" ")}: ${ended.code}, ${ended.lastLine}`);
}

function ms(seconds: readonly number[]): string {
  const { median, max } = spread(seconds);
  return `${Math.round(1_000 * median)} / ${Math.round(1_000 * max)} ms`;
}

/** The time of a hundred cases of `sluice test` beyond the start of the program, pair by pair. */
export async function proveSyncTests(folder: string): Promise<readonly Checked[]> {
  say(`${cases} cases of sluice test`);
  await mkdir(join(folder, "tests"));
  await writeFile(join(folder, "sluice.yaml"), sluiceYaml);
  await writeFile(join(folder, "tests", "accounts.yaml"), testsYaml());
  const [seconds, cpuSeconds]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const start = await sluice(folder, ["--version"]);
    const whole = await sluice(folder, ["test"], `${cases} cases`);
    seconds.push(whole.seconds - start.seconds);
    cpuSeconds.push(whole.cpuSeconds - start.cpuSeconds);
  }
  return [
    {
      what: `\`sluice test\` with ${cases} cases, beyond \`sluice --version\` (${rounds} pairs: median / max)`,
      bound: `< ${overMsMax} ms`,
      measured: `${ms(seconds)}; of the processor ${ms(cpuSeconds)}`,
      holds: 1_000 * spread(seconds).median < overMsMax,
    },
  ];
}
