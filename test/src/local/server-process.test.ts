import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ApiUnavailableError } from "../../../src/errors.ts";
import { identify } from "../../../src/local/process-identity.ts";
import { startServer, type ServerCommand } from "../../../src/local/server-process.ts";
import { until } from "../../support/process/process.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-server-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Whether a child has not ended, or has ended without our having received its end. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function node(code: string): ServerCommand {
  const logFile = join(folder, "logs", "server.log");
  return {
    name: "The server",
    command: process.execPath,
    args: ["--eval", code],
    env: { PLANTED: "yes" },
    logFile,
    answers: async () => (await readFile(logFile, "utf8")).includes("up"),
    Failure: ApiUnavailableError,
  };
}

describe("startServer", () => {
  it("returns once the server answers, having told its process number before", async () => {
    const told: number[] = [];
    const code = 'setTimeout(() => console.log("up"), 200); setInterval(() => {}, 1000)';
    const server = await startServer({ ...node(code), spawned: (pid) => told.push(pid) });
    expect(told).toEqual([server.pid]);
    await server.stop();
    expect(identify(server.pid)).toBeUndefined();
  });

  it("gives the server the environment it is told to, and nothing of ours", async () => {
    const code = 'console.log("up", JSON.stringify(process.env)); setInterval(() => {}, 1000)';
    const server = await startServer(node(code));
    await server.stop();
    expect(await readFile(join(folder, "logs", "server.log"), "utf8")).toBe(
      'up {"PLANTED":"yes"}\n',
    );
  });

  it("throws the last ten lines of the log when the server ends before it answers", async () => {
    const code = "for (let n = 1; n <= 11; n++) console.error(`line ${n}`); process.exitCode = 7";
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 2}`);
    await expect(startServer(node(code))).rejects.toMatchObject({
      name: "ApiUnavailableError",
      message: ["The server ended with code 7.", ...lines].join("\n"),
      hint: `Read ${join(folder, "logs", "server.log")}.`,
    });
  });

  it("does not take the answer of another server for that of one that has ended", async () => {
    const spawned = Promise.withResolvers<number>();
    const ended = startServer({
      ...node("process.exit(7)"),
      spawned: spawned.resolve,
      answers: async () => {
        const pid = await spawned.promise;
        return await until(async () => !isThere(pid));
      },
    });
    await expect(ended).rejects.toThrow("The server ended with code 7.");
  });

  it("throws when there is no such program", async () => {
    const missing = startServer({ ...node(""), command: "/nowhere/server" });
    await expect(missing).rejects.toThrow("The server cannot be started: spawn /nowhere/server");
  });
});
