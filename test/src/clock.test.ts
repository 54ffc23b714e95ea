import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { steadyMs, systemClock } from "../../src/clock.ts";

const run = promisify(execFile);

const moment = z.object({
  nowMs: z.number(),
  boot: z.object({ id: z.string(), upMs: z.number() }),
});

describe("systemClock", () => {
  it.runIf(process.platform === "linux")(
    "reads a clock of the boot that every process shares",
    async () => {
      const clock = systemClock();
      const module = new URL("../../src/clock.ts", import.meta.url).href;
      const script = `import { systemClock } from ${JSON.stringify(module)};
        console.log(JSON.stringify(systemClock()()));`;
      const before = moment.parse(clock());
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
      const after = moment.parse(clock());
      const other = moment.parse(JSON.parse(stdout));
      expect(other.boot.id).toBe(before.boot.id);
      expect(other.boot.upMs).toBeGreaterThan(before.boot.upMs);
      expect(other.boot.upMs).toBeLessThan(after.boot.upMs);
    },
  );
});

describe("steadyMs", () => {
  it("is the clock of the boot where it is known, else the wall's", () => {
    expect(steadyMs({ nowMs: 5, boot: { id: "a", upMs: 3 } })).toBe(3);
    expect(steadyMs({ nowMs: 5 })).toBe(5);
  });
});
