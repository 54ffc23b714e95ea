import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Before the suite: builds what is older than its source. Code that is run from source finds it as built code does. */
export function setup(): void {
  const built = statSync(join(root, "src/pipeline/deflate.wasm"), { throwIfNoEntry: false });
  const sources = readdirSync(join(root, "wasm/deflate")).map((name) => `wasm/deflate/${name}`);
  const newest = Math.max(
    ...[...sources, "tools/build-wasm.mjs"].map((file) => statSync(join(root, file)).mtimeMs),
  );
  if (built !== undefined && built.mtimeMs >= newest) return;
  execFileSync(process.execPath, [join(root, "tools/build-wasm.mjs")], { stdio: "inherit" });
}
