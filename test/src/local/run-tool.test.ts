import { describe, expect, it } from "vitest";

import { runTool, type Tool } from "../../../src/local/run-tool.ts";

function node(code: string): Tool {
  return {
    command: process.execPath,
    args: ["--eval", code],
    env: {},
    tick: () => undefined,
    tickMs: 1_000,
  };
}

describe("runTool", () => {
  it("gives what the program wrote to stdout", async () => {
    expect(await runTool(node('console.error("noise"); console.log("result")'))).toBe("result\n");
  });

  it("throws the last line of stderr when the program fails", async () => {
    const failing = runTool(node('console.error("first\\nlast"); process.exit(3)'));
    await expect(failing).rejects.toThrow(/^last$/);
  });

  it("throws how the program ended when it said nothing", async () => {
    await expect(runTool(node("process.exit(3)"))).rejects.toThrow("ended with 3");
    await expect(runTool(node("process.kill(process.pid)"))).rejects.toThrow("ended with SIGTERM");
  });

  it("throws when there is no such program", async () => {
    const missing = runTool({ ...node(""), command: "/nowhere/tool" });
    await expect(missing).rejects.toThrow("ENOENT");
  });

  it("tells the time while the program runs, and ends it when the signal says so", async () => {
    const controller = new AbortController();
    const seconds: number[] = [];
    const began = performance.now();
    const endless = runTool({
      ...node("setInterval(() => {}, 1000)"),
      tick: (time) => {
        seconds.push(time);
        if (seconds.length === 3) controller.abort(new Error("long enough"));
      },
      tickMs: 20,
      signal: controller.signal,
    });
    await expect(endless).rejects.toThrow("long enough");
    // On a busy machine it continues to tick until the program is gone.
    expect(seconds.length).toBeGreaterThanOrEqual(3);
    expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds);
    expect(seconds.at(-1)).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 1_000));
  });
});
