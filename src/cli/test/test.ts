import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { replaceFile, targetAt } from "../../../connectors/csv/replace-file.ts";
import type { Config } from "../../config/config.ts";
import { readFault } from "../../config/document/read-fault.ts";
import { ConfigError } from "../../errors.ts";
import { loadMapping } from "../../mapping/load.ts";
import { junitXml, type FileResult } from "../../sync-tests/junit.ts";
import { loadTests, type TestFile } from "../../sync-tests/load.ts";
import { runTests, type CaseResult } from "../../sync-tests/run.ts";
import { updatedTests } from "../../sync-tests/update.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { okOrFail } from "../output/style.ts";
import { findTests } from "./find-tests.ts";
import { withFixedClock } from "./fixed-clock.ts";
import { rowsOfFile } from "./rows-of-file.ts";
import { differenceLines } from "./text.ts";

type TestOptions = GlobalOptions & { readonly update?: boolean; readonly junit?: string };

/** A test file, and the results of its cases. */
type Ran = { readonly file: TestFile; readonly results: readonly CaseResult[] };

/** `sluice test [files...]`. */
export const registerTest: Register = (program, context) => {
  withGlobals(program.command("test [files...]"), "lines")
    .summary("run the tests of mappings: rows, and the records expected of them")
    .description(
      "run the tests of mappings in `tests/*.yaml` beside sluice.yaml, or in these files: rows, and what is " +
        "expected of them; no source is read, nothing is sent",
    )
    .option("--update", "write what the mappings give into the files, as what is expected")
    .option("--junit <file>", "write the results as JUnit XML, for a CI server")
    .action(async (names: readonly string[], options: TestOptions) => {
      const config = await configOf(context, options);
      const found = await findTests(config, { names, cwd: context.cwd });
      const files = found.map((file) => loadTests(file, config.syncs));
      const ran: Ran[] = [];
      for (const file of files) ran.push({ file, results: await runFile(config, file) });
      for (const one of ran) showFile(context, one, options);
      if (options.update === true) for (const one of ran) await updateFile(context, one);
      if (options.junit !== undefined) {
        await writeReport(resolve(context.cwd, options.junit), junitXml(ran.map(fileResult)));
      }
      const cases = ran.flatMap(({ results }) => results);
      const failed = cases.filter(({ differences }) => differences.length > 0).length;
      if (options.json !== true) showSum(context, { cases: cases.length, failed });
      if (failed > 0 && options.update !== true) context.exit(exitCodes.failed);
    });
};

async function runFile(config: Config, file: TestFile): Promise<readonly CaseResult[]> {
  const { now, sync, timeZone } = file;
  return await withFixedClock({ now, timeZone }, async () => {
    // With the clock stopped, because a module may look at it when it is loaded.
    const mapping = await loadMapping(sync);
    const readFile = (path: string): ReturnType<typeof rowsOfFile> =>
      rowsOfFile(config, sync, path);
    return await runTests(file, { mapping, readFile });
  });
}

function showFile(context: Context, { file, results }: Ran, { json }: TestOptions): void {
  for (const { case: one, differences } of results) {
    const line = file.lineOf(one.path);
    if (json === true) {
      const shown = differences.map(({ at, path, ...rest }) => ({
        line: file.lineOf([...at, ...path]),
        member: path.map(String).join("."),
        ...rest,
      }));
      const ok = differences.length === 0;
      const { name: sync } = file.sync;
      context.print(
        plainJson({ file: file.name, line, sync, name: one.name, ok, differences: shown }),
      );
    } else if (differences.length > 0) {
      context.print(`${okOrFail(false)}  ${plainText(`${file.name}:${line}: ${one.name}`)}`);
      for (const text of linesOf(file, differences)) context.print(`      ${text}`);
    }
  }
  const failed = results.filter(({ differences }) => differences.length > 0).length;
  if (json !== true && failed === 0)
    context.print(`${okOrFail(true)}  ${plainText(file.name)}: ${counted(results.length, "case")}`);
}

function linesOf(file: TestFile, differences: CaseResult["differences"]): readonly string[] {
  return differences.flatMap((difference) => differenceLines(file, difference));
}

function showSum(context: Context, { cases, failed }: { cases: number; failed: number }): void {
  if (failed > 0)
    context.print(
      `${failed} of ${counted(cases, "case")} failed: - is expected, + is what the mapping gives`,
    );
}

function fileResult({ file, results }: Ran): FileResult {
  const cases = results.map((result) => ({
    ...result,
    line: file.lineOf(result.case.path),
    text: linesOf(file, result.differences).map(stripVTControlCharacters).join("\n"),
  }));
  return { name: file.name, cases };
}

/** @throws {ConfigError} the file cannot be written, or not without changing something else in it. */
async function updateFile(context: Context, { file, results }: Ran): Promise<void> {
  if (results.every(({ differences }) => differences.length === 0)) return;
  const text = updatedTests(file, results);
  if (text === undefined) {
    throw new ConfigError(`${file.name} cannot be updated without changing something else in it`, {
      hint: "write what is expected by hand: `sluice test` shows it",
    });
  }
  // Beside it first, so that a command that is stopped leaves one of the two, whole.
  const target = await targetAt(file.path, file.name);
  await replaceFile(target, async (append) => {
    await append(text);
    return true;
  });
  context.say(
    `${file.name} now expects what the mapping gives: look at what changed before you commit it`,
  );
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new ConfigError(`cannot write ${basename(path)}: ${readFault(error)}`, { cause: error });
  }
}
