import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, it } from "vitest";

const output = new URL("../../../../src/cli/output/output.ts", import.meta.url).href;

it("does not end a command whose progress nobody reads any more", async () => {
  const code = `
    import { endWithPipe, output } from ${JSON.stringify(output)};
    endWithPipe();
    process.stdin.once("data", () => {
      output.say("1 row read");
      setTimeout(() => output.exit(3), 50);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  child.stderr.destroy();
  child.stdin.end("go\n");
  expect(await once(child, "exit")).toEqual([3, null]);
});
