import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { codeOf } from "./tried-code.ts";

const mutant = {
  edits: [{ file: "a.ts", find: "1", replace: "2" }],
  test: { file: "a.test.ts", title: "is one" },
} as const;

it("differs with the code, the test and the edit, and not with comments or layout", async () => {
  const folder = await temporaryFolder();
  const write = async (file: string, text: string): Promise<string> => {
    await writeFile(join(folder, file), text);
    return await codeOf(folder, mutant);
  };
  await write("a.ts", "const a = 1;\n");
  const first = await write("a.test.ts", "expect(a).toBe(1);\n");
  expect(first).toMatch(/^[\da-f]{8}$/);
  expect(await write("a.ts", "// One.\nconst a =\n  1;\n")).toBe(first);

  const changed = await write("a.ts", "const a = 1;\nconst b = 2;\n");
  const tested = await write("a.test.ts", "expect(a).toBe(2);\n");
  const edit = { ...mutant.edits[0], replace: "3" };
  const planted = await codeOf(folder, { ...mutant, edits: [edit] });
  expect(new Set([first, changed, tested, planted]).size).toBe(4);
});

it("is told of a file that has moved, and of one that is not a code", async () => {
  const folder = await temporaryFolder();
  const gone = await codeOf(folder, mutant);
  await writeFile(join(folder, "a.ts"), "@@ no code {");
  expect(await codeOf(folder, mutant)).not.toBe(gone);
});
