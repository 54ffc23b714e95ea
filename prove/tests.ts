import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import type { Checked } from "../bench/bounds.ts";
import { run } from "../bench/child.ts";
import { say } from "../bench/report.ts";

/** Columns of the table of tests. */
export const testsHead: readonly string[] = ["tests of", "", "how many, and how long"];

const root = fileURLToPath(new URL("..", import.meta.url));

/** What vitest's JSON reporter says, as far as it is read here. */
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

/** Runs the tests that take too long for `npm test`: those of `*.prove.ts`. One row for each file. */
export async function proveTests(folder: string): Promise<readonly Checked[]> {
  say("the tests of the tier prove");
  const output = join(folder, "report.json");
  const how = [
    "--project=prove",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${output}`,
  ];
  const { code } = await run([join(root, "node_modules/vitest/vitest.mjs"), "run", ...how], root);
  const { testResults } = report.parse(JSON.parse(await readFile(output, "utf8")));
  const files = testResults.map(
    ({ name, status, startTime, endTime, assertionResults }): Checked => {
      const seconds = Math.round((endTime - startTime) / 1_000);
      const isGreen = status === "passed";
      const measured = `${assertionResults.length}, ${seconds} s`;
      return { what: `\`${relative(root, name)}\``, bound: "", measured, holds: isGreen };
    },
  );
  const passed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed").length;
  const inAll = { what: "all", bound: "", measured: `${passed} passed`, holds: code === 0 };
  return [...files.toSorted((one, other) => one.what.localeCompare(other.what)), inAll];
}

/** Plants every bug of the table, whose page is docs/proof/mutants.md. */
export async function proveMutants(): Promise<readonly Checked[]> {
  say("mutants");
  const { code, seconds } = await run([join(root, "test/mutants/main.ts")], root);
  const measured = code === 0 ? `each, ${Math.round(seconds / 60)} minutes` : "not each";
  return [{ what: "mutants", bound: "each is caught", measured, holds: code === 0 }];
}
