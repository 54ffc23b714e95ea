import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

import { z } from "zod";

const root = resolve(import.meta.dirname, "../..");
const list = "tools/wasm-programs.json";
const program = z.object({ folder: z.string(), built: z.string() });
const programs = z.array(program).parse(JSON.parse(readFileSync(join(root, list), "utf8")));

function newestOf(paths: readonly string[]): number {
  return Math.max(...paths.map((path) => statSync(join(root, path)).mtimeMs));
}

/** Whether a program is newer than everything it is made from. */
function isBuilt({ folder, built }: z.output<typeof program>): boolean {
  const made = statSync(join(root, built), { throwIfNoEntry: false });
  const sources = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  return made !== undefined && made.mtimeMs >= newestOf([...sources, "tools/build-wasm.mjs", list]);
}

/** Before the suite: builds what is older than its source. Code run from source finds it as built code does. */
export function setup(): void {
  if (programs.every(isBuilt)) return;
  execFileSync(process.execPath, [join(root, "tools/build-wasm.mjs")], { stdio: "inherit" });
}
