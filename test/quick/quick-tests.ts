import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** They hold the pages, names and tables to what the house promises. */
const always = [
  "test/house/docs.test.ts",
  "test/house/readme.test.ts",
  "test/house/structure.test.ts",
  "test/house/commands.test.ts",
  "test/house/errors.test.ts",
  "test/house/citations.test.ts",
  "test/house/words.test.ts",
  "test/house/mutants.test.ts",
];

/** Its sources are bundled when one has changed: that takes a seventh of all the time. */
const ofBundle = "test/workflows/bundle.test.ts";
const isBundled = /^(?:src|workflows)\//;

/** Folders of tests that take a moment each. A story of `e2e/` or `crash/` waits for `npm test`. */
const isUnit =
  /^test\/(?:src|activities|workflows|connectors|testing|tools|house|mutants|quick)\/.*\.test\.ts$/;

/** More than these would keep a day's work waiting; a change of so many files is a case for `npm test`. */
const changedMax = 20;

/** The test files of `npm run check`, as paths from the root: the house's, and the unit tests of changed files. */
export function quickTests(root: string): readonly string[] {
  const changed = testsOf(changedFiles(root)).filter((path) => existsSync(join(root, path)));
  if (changed.length <= changedMax) return [...new Set([...always, ...changed])];
  process.stderr.write(
    `${changed.length} files of tests mirror what has changed, more than ${changedMax}: npm test runs them\n`,
  );
  return always;
}

/** The tests among some files, those whose path mirrors one of them, and that of the bundle where it may differ. */
export function testsOf(paths: readonly string[]): readonly string[] {
  const mirrors = paths.map((path) =>
    path.startsWith("test/") ? path : `test/${path.replace(/\.ts$/, ".test.ts")}`,
  );
  const tests = paths.some((path) => isBundled.test(path)) ? [...mirrors, ofBundle] : mirrors;
  return [...new Set(tests)].filter((path) => isUnit.test(path)).toSorted();
}

/** Files that differ from the last commit or are not in it yet; none where there is no git. */
function changedFiles(root: string): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const lists = [git("diff", "--name-only", "HEAD"), git("ls-files", "-o", "--exclude-standard")];
    return lists.flatMap((list) => list.split("\n")).filter((path) => path !== "");
  } catch {
    return [];
  }
}
