import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { quickTests, testsOf } from "./quick-tests.ts";

it("finds the unit tests among changed files, and those that mirror one", () => {
  const changed = [
    "src/text/table.ts",
    "connectors/csv/parse/split.ts",
    "test/src/text/table.test.ts",
    "test/house/words.test.ts",
    "test/e2e/sync/sync.test.ts",
    "test/src/text/table.prove.ts",
    "docs/design.md",
  ];
  expect(testsOf(changed)).toEqual([
    "test/connectors/csv/parse/split.test.ts",
    "test/house/words.test.ts",
    "test/src/text/table.test.ts",
    "test/workflows/bundle.test.ts",
  ]);
});

it("bundles the workflows where what they are made of has changed", () => {
  const bundle = "test/workflows/bundle.test.ts";
  expect(testsOf(["workflows/sync/sync.ts"])).toContain(bundle);
  expect(testsOf(["connectors/csv/read.ts", "test/src/text/table.test.ts"])).not.toContain(bundle);
});

/** A repository whose one commit has a source, and which has some tests that are not committed yet. */
async function repository(tests: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
  const write = async (path: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), "");
  };
  git("init", "--quiet");
  await write("src/known.ts");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--message", "first");
  await Promise.all(tests.map(write));
  return folder;
}

it("runs the tests of files that no commit has, beside those of the house", async () => {
  const folder = await repository(["test/src/new.test.ts", "test/src/known.test.ts"]);
  const found = quickTests(folder);
  expect(found).toContain("test/house/words.test.ts");
  expect(found.slice(-2)).toEqual(["test/src/known.test.ts", "test/src/new.test.ts"]);
  await writeFile(join(folder, "src/known.ts"), "changed");
  expect(quickTests(folder).filter((path) => path.includes("known"))).toHaveLength(1);
});

it("leaves the tests of a large change to npm test", async () => {
  const many = Array.from({ length: 21 }, (_, index) => `test/src/new-${index}.test.ts`);
  expect(quickTests(await repository(many)).join(" ")).not.toContain("new-");
});

it("runs those of the house where there is no git", async () => {
  const folder = await temporaryFolder();
  expect(quickTests(folder)).toContain("test/house/words.test.ts");
});
