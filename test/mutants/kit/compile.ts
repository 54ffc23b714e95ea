import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import type { KitMutant } from "./draw.ts";

/** Unused names are left to the linter: a mutant may well leave something unused. */
const options = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false };

/**
 * The mutants that compile, found in one run: each is put next to its original file, under a name of its own. `folder`
 * is a copy of the project.
 */
export async function compiling(
  folder: string,
  mutants: readonly KitMutant[],
): Promise<readonly KitMutant[]> {
  const named = mutants.map((mutant, index) => {
    return { mutant, name: mutant.file.replace(/\.ts$/, `.mutant-${index}.ts`) };
  });
  const config = join(folder, "tsconfig.mutants.json");
  try {
    for (const { mutant, name } of named) await writeFile(join(folder, name), mutant.text);
    await writeFile(
      config,
      JSON.stringify({
        extends: "./tsconfig.json",
        compilerOptions: options,
        include: ["connectors"],
      }),
    );
    const refused = await refusedBy(folder, config);
    return named.filter(({ name }) => !refused.has(name)).map(({ mutant }) => mutant);
  } finally {
    for (const { name } of named) await rm(join(folder, name), { force: true });
    await rm(config, { force: true });
  }
}

/** The files in which the compiler finds errors. */
async function refusedBy(folder: string, config: string): Promise<ReadonlySet<string>> {
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [compiler, "-p", config, "--pretty", "false"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  const files = [...said.matchAll(/^(\S+\.ts)\(\d+,\d+\): error/gm)].map(([, file = ""]) => file);
  // 0: no errors; 2: errors. Some of all these mutants do not compile.
  if (child.exitCode !== 0 && files.length === 0) {
    throw new Error(`tsc ended with ${child.exitCode}: ${said}`);
  }
  return new Set(files);
}
