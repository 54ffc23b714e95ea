// wasm/ (AssemblyScript) -> the .wasm files that src/ loads from next to its modules.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { main as compile } from "assemblyscript/asc";

import { main, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

/**
 * The program's own data begins at `ownDataAt`. For deflate it comes after the memory that its layout.ts gives out, and
 * the memory has `fixedPages` pages of 64 KiB and never grows.
 */
const programs = JSON.parse(readFileSync(join(root, "tools", "wasm-programs.json"), "utf8"));

await main(async () => {
  for (const { folder, built, ownDataAt, fixedPages } of programs) {
    const source = join(root, folder, "index.ts");
    const memory = ["--memoryBase", String(ownDataAt)];
    if (fixedPages !== undefined) {
      memory.push("--initialMemory", String(fixedPages), "--maximumMemory", String(fixedPages));
    }
    const settings = ["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd", ...memory];
    const { error } = await compile([source, "-o", join(root, built), ...settings], {
      stderr: process.stderr,
    });
    if (error !== null) throw new Stop(`${source} does not compile: ${error.message}`);
  }
  return 0;
});
