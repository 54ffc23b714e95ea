import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { watch } from "../../support/process/process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("npm run nightly", () => {
  it("syncs out, pulls back and applies the schedules, and does nothing in the second night", async () => {
    const nightly = spawn(process.execPath, ["tools/nightly.mjs"], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stdout, stderr } = await watch(nightly).ended;
    const output = `${stdout}${stderr}`;
    expect(output).toContain("read 120 = sent 120 + unchanged 0 + filtered 0 + rejected 0");
    expect(output).toMatch(/read 30 = sent 0 \+ unchanged 30 \+ filtered 0 \+ rejected 0/);
    expect(output).toMatch(/domains\s+120 done, 0 refused, of 120/);
    expect(output).toMatch(/read (\d+) = written \1 \+ unchanged 0 /);
    expect(output).toMatch(/read (\d+) = written 0 \+ unchanged \1 /);
    expect(output).toMatch(/accounts\s.*done\s.*02:30 .*Europe\/Paris/);
    expect(code).toBe(0);
  }, 600_000);
});
