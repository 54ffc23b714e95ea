// wasm/ (AssemblyScript) -> the .wasm file that src/ loads from beside its module.
import { join } from "node:path";

import { main as compile } from "assemblyscript/asc";

import { main, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

await main(async () => {
  const source = join(root, "wasm", "deflate", "index.ts");
  const built = join(root, "src", "pipeline", "deflate.wasm");
  // The program's own data lies behind what wasm/deflate/layout.ts gives out; the memory ends there, and never grows.
  const memory = ["--memoryBase", "1146880", "--initialMemory", "18", "--maximumMemory", "18"];
  const settings = ["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd", ...memory];
  const { error } = await compile([source, "-o", built, ...settings], { stderr: process.stderr });
  if (error !== null) throw new Stop(`${source} does not compile: ${error.message}`);
  return 0;
});
