import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const program = `
  import { cachedDataVersionTag } from "node:v8";
  import { sizeHeaps } from "./src/cli/serve/start-worker.ts";
  const before = cachedDataVersionTag();
  sizeHeaps();
  console.log(cachedDataVersionTag() === before);
`;

// Threads of a process whose heaps were sized would compile all of Node's modules and ours, with each start.
it("sizes heaps so that compiled code fits as before", async () => {
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("true\n");
});
