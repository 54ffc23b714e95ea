// Runs after `npm ci`: builds dist/, so that bin/sluice.js is ready. Without the compiler (`--omit=dev`) it cannot
// build, and an install should not fail for that.
import { existsSync } from "node:fs";
import { join } from "node:path";

import { main, run, say } from "./child.mjs";
import { root } from "./set-up.mjs";

await main(async () => {
  if (!existsSync(join(root, "node_modules", "typescript"))) {
    say(
      "dist is not built: the compiler is not installed (npm ci with development packages builds it)",
    );
    return 0;
  }
  return (await run("npm", ["run", "--silent", "build"], { cwd: root })).code;
});
