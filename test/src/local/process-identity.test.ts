import { spawn } from "node:child_process";
import { once } from "node:events";

import { afterEach, describe, expect, it, vi } from "vitest";

import { askPs, endProcess, identify, isRunning } from "../../../src/local/process-identity.ts";

type Child = { readonly pid: number; readonly exited: Promise<unknown[]> };

/** A Node process that prints a line once it has run `code`, and stays alive. */
async function startNode(code: string): Promise<Child> {
  const child = spawn(
    process.execPath,
    ["--eval", `${code}; setInterval(() => {}, 1000); console.log("up");`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("no process");
  return { pid: child.pid, exited };
}

describe("identify", () => {
  it("gives the same identity each time, and none once the process is gone", async () => {
    const { pid, exited } = await startNode("");
    const identity = identify(pid);
    expect(identity?.pid).toBe(pid);
    expect(identity?.started).toMatch(/^\d+$/);
    expect(identify(pid)).toEqual(identity);
    process.kill(pid, "SIGKILL");
    await exited;
    expect(identify(pid)).toBeUndefined();
  });

  it("reads a process whose name holds blanks and brackets", async () => {
    const { pid, exited } = await startNode('process.title = "a) Z (b"');
    expect(identify(pid)?.started).toMatch(/^\d+$/);
    process.kill(pid, "SIGKILL");
    await exited;
  });
});

describe("askPs", () => {
  it("tells the state and start of a process, and nothing of one that is gone", async () => {
    const [state, started] = askPs(process.pid);
    expect(state).toMatch(/^[A-Z]/);
    expect(Date.parse(started ?? "")).toBeLessThanOrEqual(Date.now());
    const { pid, exited } = await startNode("");
    process.kill(pid, "SIGKILL");
    await exited;
    expect(askPs(pid)).toEqual([]);
  });
});

describe("askPs in another time zone", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("tells the same start in UTC, whatever the zone of whoever asks", () => {
    const before = askPs(process.pid);
    vi.stubEnv("TZ", "Asia/Tokyo");
    const [, started = ""] = askPs(process.pid);
    expect(started).toBe(before[1]);
    // In the words of UTC, whatever zone this machine has.
    expect(Math.abs(Date.parse(`${started} UTC`) - Date.now())).toBeLessThan(600_000);
  });
});

describe("isRunning", () => {
  it("does not take another process under the same number for the one that was meant", () => {
    const own = identify(process.pid);
    expect(own !== undefined && isRunning(own)).toBe(true);
    expect(isRunning({ pid: process.pid, started: "at another time" })).toBe(false);
  });
});

describe("endProcess", () => {
  it("ends a process by one SIGTERM and returns once it is gone", async () => {
    const { pid, exited } = await startNode(
      'let terms = 0; process.on("SIGTERM", () => { terms++; setTimeout(() => process.exit(terms), 200); })',
    );
    await endProcess(identify(pid) ?? { pid, started: "" });
    expect(identify(pid)).toBeUndefined();
    expect(await exited).toEqual([1, null]);
  });

  it("leaves a later process under the same number alone", async () => {
    const { pid, exited } = await startNode("");
    await endProcess({ pid, started: "at another time" });
    expect(identify(pid)).toBeDefined();
    process.kill(pid, "SIGKILL");
    await exited;
  });

  it("kills a process that outstays the caller's retryBudget", async () => {
    const { pid, exited } = await startNode('process.on("SIGTERM", () => {})');
    await endProcess(identify(pid) ?? { pid, started: "" }, 100);
    expect(await exited).toEqual([null, "SIGKILL"]);
  });
});
