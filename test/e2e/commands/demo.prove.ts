import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { missing, shown } from "../../house/readme-blocks.ts";
import { watch } from "../../support/process/process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("npm run demo", () => {
  it("runs the example in both modes, prints both reports and where to look, and ends with 0", async () => {
    const demo = spawn(process.execPath, ["tools/demo.mjs"], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stdout, stderr } = await watch(demo).ended;
    const output = `${stdout}${stderr}`;
    expect(missing(shown.demo, `${stderr}\n${stdout}`)).toEqual([]);
    expect(output).toContain("read 300 = sent 300 + unchanged 0 + filtered 0 + rejected 0");
    expect(output).toContain("mode        lightweight");
    expect(output).toContain("rejects list --sync accounts");
    expect(output).toMatch(/Temporal Web UI\s+http:\/\/127\.0\.0\.1:\d+/);
    expect(code).toBe(0);
  }, 120_000);
});
