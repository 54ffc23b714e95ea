import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { runTests } from "./run-tests.ts";
import { judge } from "./verdict.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const tests = `import { expect, it } from "vitest";
it("asserts", () => expect(1).toBe(1));
it("says nothing", () => undefined);
it.runIf(false)("is left out", () => expect(1).toBe(1));
`;

it("does not take a test for green that asserts nothing or is skipped", async () => {
  const folder = await temporaryFolder();
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "a.test.ts"), tests);
  const titles = ["asserts", "says nothing", "is left out"];
  const signal = new AbortController().signal;
  const asked = { folder, files: ["a.test.ts"], titles, msMax: 60_000, signal };
  const run = await runTests({ ...asked, mustAssert: true });
  const verdicts = titles.map((title) => judge({ file: "a.test.ts", title }, run, run));
  expect(verdicts).toEqual(["survived", "not green without it", "not green without it"]);
});
