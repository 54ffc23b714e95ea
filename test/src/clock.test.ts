import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { steadyMs, systemClock } from "../../src/clock.ts";

const run = promisify(execFile);

const moment = z.object({
  nowMs: z.number(),
  boot: z.object({ id: z.string(), upMs: z.number() }).optional(),
});

describe("systemClock", () => {
  it("reads a clock that every process shares, of the boot where the system names it, else the wall's", async () => {
    const clock = systemClock();
    const module = new URL("../../src/clock.ts", import.meta.url).href;
    const script = `import { systemClock } from ${JSON.stringify(module)};
      console.log(JSON.stringify(systemClock()()));`;
    const before = moment.parse(clock());
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
    const after = moment.parse(clock());
    const other = moment.parse(JSON.parse(stdout));
    expect(before.boot !== undefined).toBe(process.platform === "linux");
    expect(other.boot?.id).toBe(before.boot?.id);
    expect(steadyMs(other)).toBeGreaterThan(steadyMs(before));
    expect(steadyMs(other)).toBeLessThan(steadyMs(after));
  });
});

describe("steadyMs", () => {
  it("is the clock of the boot where it is known, else the wall's", () => {
    expect(steadyMs({ nowMs: 5, boot: { id: "a", upMs: 3 } })).toBe(3);
    expect(steadyMs({ nowMs: 5 })).toBe(5);
  });
});
