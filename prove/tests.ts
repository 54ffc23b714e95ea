import { glob, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import type { Checked } from "../bench/bounds.ts";
import { run } from "../bench/child.ts";
import { say } from "../bench/report.ts";
import { trialsVariable } from "../test/support/trials.ts";

/** Columns of the table of tests. */
export const testsHead: readonly string[] = ["tests of", "bound", "how many, and how long"];

const root = fileURLToPath(new URL("..", import.meta.url));

/** The parts of vitest's JSON report that are read here. */
const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** The bound of a file of tests, so that the table says which of them is not. */
const green = "green";

/** How many random cases to try here for each one of `npm test`. */
const trialsTimes = 30;

/** The tests of `npm test` that report how many random cases they try. */
async function filesWithTrials(): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob("test/**/*.test.ts", { cwd: root })) {
    const text = await readFile(join(root, file), "utf8");
    if (text.includes("/support/trials.ts")) files.push(file);
  }
  return files;
}

/**
 * Runs the tests that take too long for `npm test`: the `*.prove.ts` files, and the tests of random cases, with
 * more cases. One row for each file.
 */
export async function proveTests(folder: string): Promise<readonly Checked[]> {
  say("the tests of the tier prove");
  const proved = await runTests(folder, ["--project=prove"]);
  say("the tests of random cases, with more of them");
  const tried = await runTests(
    folder,
    ["--project=test", "--testTimeout=900000", ...(await filesWithTrials())],
    { [trialsVariable]: String(trialsTimes) },
  );
  return [...proved, ...tried];
}

async function runTests(
  folder: string,
  which: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly Checked[]> {
  const output = join(folder, "report.json");
  const how = ["--reporter=dot", "--reporter=json", `--outputFile.json=${output}`];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { code } = await run([vitest, "run", ...how, ...which], root, { variables });
  const { testResults } = report.parse(JSON.parse(await readFile(output, "utf8")));
  const files = testResults.map(
    ({ name, status, startTime, endTime, assertionResults }): Checked => {
      const seconds = Math.round((endTime - startTime) / 1_000);
      const isGreen = status === "passed";
      const measured = `${assertionResults.length}, ${seconds} s`;
      return { what: `\`${relative(root, name)}\``, bound: green, measured, holds: isGreen };
    },
  );
  const passed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed").length;
  const isMore = trialsVariable in variables;
  const what = isMore ? `all, ${trialsTimes} times as many random cases` : "all";
  const inAll = { what, bound: green, measured: `${passed} passed`, holds: code === 0 };
  return [...files.toSorted((one, other) => one.what.localeCompare(other.what)), inAll];
}

/** Plants every bug of the table, which is on the page docs/proof/mutants.md. */
export async function proveMutants(): Promise<readonly Checked[]> {
  say("mutants");
  const { code, seconds } = await run([join(root, "test/mutants/main.ts")], root);
  const measured = code === 0 ? `each, ${Math.round(seconds / 60)} minutes` : "not each";
  return [{ what: "mutants", bound: "each is caught", measured, holds: code === 0 }];
}
