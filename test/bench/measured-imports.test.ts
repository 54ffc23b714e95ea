import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

const imported = /^import (?!type ).*?from "([^"]+)";$/gms;

/** The packages, and our files by URL, that a program loads according to its files. */
async function modulesOf(file: URL, known = new Set<string>()): Promise<ReadonlySet<string>> {
  for (const [, name = ""] of (await readFile(file, "utf8")).matchAll(imported)) {
    const module = name.startsWith(".") ? new URL(name, file).href : name;
    if (name.startsWith("node:") || known.has(module)) continue;
    known.add(module);
    if (name.startsWith(".")) await modulesOf(new URL(module), known);
  }
  return known;
}

it("a program that stages loads no package beside those that are bundled with what it measures", async () => {
  const program = new URL("../../bench/workloads/stage-sluice.ts", import.meta.url);
  const modules = [...(await modulesOf(program))];
  expect(modules).toContain(new URL("../built.ts", program).href);
  expect(modules.filter((name) => !name.startsWith("file:"))).toEqual([]);
});
