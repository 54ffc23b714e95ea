import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { endProcess, identify, isRunning } from "../../../src/local/process-identity.ts";
import type { ProcessIdentity } from "../../../src/local/process-identity.ts";
import { acquireService, type ServiceUse } from "../../../src/local/shared-service.ts";
import { requestFor, userReportSchema } from "./small-service.ts";

let folder = "";
/** Every process that a test makes, ended afterwards whatever the result. */
let made: ProcessIdentity[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-shared-"));
  made = [];
});

afterEach(async () => {
  for (const identity of made) await endProcess(identity, 0);
  await rm(folder, { recursive: true });
});

function remember(pid: number): ProcessIdentity {
  const identity = identify(pid);
  if (identity === undefined) throw new Error(`process ${pid} is gone already`);
  made.push(identity);
  return identity;
}

async function acquire(): Promise<ServiceUse & { readonly server: ProcessIdentity }> {
  const use = await acquireService(requestFor(folder));
  return { ...use, server: remember(use.info.pid) };
}

type User = {
  readonly report: z.output<typeof userReportSchema>;
  readonly server: ProcessIdentity;
  readonly process: ProcessIdentity;
  /** Makes it release its use and end. */
  leave(): Promise<void>;
  killWith(signal: NodeJS.Signals): Promise<void>;
};

/** A process, in a group of its own, that uses the service. */
async function startUser(): Promise<User> {
  const script = join(import.meta.dirname, "small-service.ts");
  const child = spawn(process.execPath, [script, folder], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const [line] = z.tuple([z.string()]).parse(await once(createInterface(child.stdout), "line"));
  const report = userReportSchema.parse(JSON.parse(line));
  const { pid = 0 } = child;
  return {
    report,
    server: remember(report.pid),
    process: remember(pid),
    leave: async () => {
      child.stdin.end();
      expect(await gone).toEqual([0, null]);
    },
    killWith: async (signal) => {
      process.kill(-pid, signal);
      await gone;
    },
  };
}

describe("acquireService", () => {
  it("starts the server once for callers that come at the same moment", async () => {
    const [first, second, third] = await Promise.all([acquire(), startUser(), acquire()]);
    expect([first.info.pid, second.report.pid]).toEqual([third.info.pid, third.info.pid]);
    const starters = [first, second.report, third].filter(({ startedHere }) => startedHere);
    expect(starters).toHaveLength(1);
    await Promise.all([first.release(), second.leave(), third.release()]);
    expect(isRunning(first.server)).toBe(false);
  });

  it("leaves the server running until its last user leaves, who need not have started it", async () => {
    const starter = await startUser();
    const guest = await acquire();
    expect(guest.info.addresses).toEqual(starter.report.addresses);
    await starter.leave();
    expect(isRunning(guest.server)).toBe(true);
    await guest.release();
    expect(isRunning(guest.server)).toBe(false);
    await expect(readFile(join(folder, "sandbox.json"))).rejects.toThrow("ENOENT");
  });

  it("counts a release that is repeated once", async () => {
    const first = await acquire();
    const second = await acquire();
    await first.release();
    await first.release();
    expect(isRunning(second.server)).toBe(true);
    await second.release();
  });

  it("does not wait for a user that was killed", async () => {
    const killed = await startUser();
    const second = await acquire();
    await killed.killWith("SIGKILL");
    await second.release();
    expect(isRunning(second.server)).toBe(false);
  });

  it("takes over the server of a command that was killed, and ends it", async () => {
    const killed = await startUser();
    await killed.killWith("SIGKILL");
    const next = await acquire();
    expect(next).toMatchObject({ startedHere: false, info: { pid: killed.report.pid } });
    await next.release();
    expect(isRunning(killed.server)).toBe(false);
  });

  it("keeps Ctrl-C in the terminal from the server", async () => {
    const interrupted = await startUser();
    const other = await acquire();
    await interrupted.killWith("SIGINT");
    expect(isRunning(other.server)).toBe(true);
    await other.release();
  });

  it("says once that it waits while another command starts the server", async () => {
    const request = requestFor(folder);
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const first = acquireService({
      ...request,
      start: async (spawned) => {
        begun.resolve();
        await gate.promise;
        return await request.start(spawned);
      },
    });
    await begun.promise;
    let said = 0;
    const second = acquireService({ ...request, waiting: () => void said++ });
    await delay(200);
    expect(said).toBe(1);
    gate.resolve();
    const [one, two] = await Promise.all([first, second]);
    remember(one.info.pid);
    expect([two.info, two.startedHere, said]).toEqual([one.info, false, 1]);
    await one.release();
    await two.release();
  });

  it("starts another server when the recorded one has ended", async () => {
    const first = await acquire();
    await endProcess(first.server);
    const second = await acquire();
    expect(second.startedHere).toBe(true);
    await second.release();
    await first.release();
  });

  it("replaces a server that runs but does not answer", async () => {
    const first = await acquire();
    const request = requestFor(folder);
    const second = await acquireService({
      ...request,
      isAlive: async () => await Promise.resolve(false),
    });
    expect(second.startedHere).toBe(true);
    expect(isRunning(first.server)).toBe(false);
    await first.release();
    expect(isRunning(remember(second.info.pid))).toBe(true);
    await second.release();
  });

  it("does not take a later process under a dead user's number for that user", async () => {
    const use = await acquire();
    const file = join(folder, "sandbox.json");
    const record = z
      .looseObject({ users: z.array(z.unknown()) })
      .parse(JSON.parse(await readFile(file, "utf8")));
    record.users.push({ id: "another", pid: process.pid, started: "at another time" });
    await writeFile(file, JSON.stringify(record));
    await use.release();
    expect(isRunning(use.server)).toBe(false);
  });

  it("ends what a command left that was killed while its server was starting", async () => {
    const unfinished = remember(
      spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" }).pid ??
        0,
    );
    await writeFile(
      join(folder, "sandbox.json"),
      JSON.stringify({ server: unfinished, users: [{ ...unfinished, id: "itself" }] }),
    );
    const use = await acquire();
    expect(use.startedHere).toBe(true);
    expect(isRunning(unfinished)).toBe(false);
    await use.release();
  });

  it("leaves nothing running or recorded when the server does not start", async () => {
    let spawned: ProcessIdentity | undefined;
    const failing = acquireService({
      ...requestFor(folder),
      start: async (tell) => {
        const { pid = 0 } = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"]);
        spawned = remember(pid);
        tell(pid);
        return await Promise.reject(new Error("it does not start"));
      },
    });
    await expect(failing).rejects.toThrow("it does not start");
    expect(spawned !== undefined && isRunning(spawned)).toBe(false);
    const use = await acquire();
    expect(use.startedHere).toBe(true);
    await use.release();
  });

  it("ends the server with its last user where nothing can be locked or written any more", async () => {
    const other = await startUser();
    const use = await acquire();
    // As on a full or read-only disk: neither the record nor the lock can be written.
    await mkdir(join(folder, "sandbox.json.new"));
    await other.leave();
    expect(isRunning(use.server)).toBe(true);
    await rm(join(folder, "sandbox.lock"));
    await mkdir(join(folder, "sandbox.lock"));
    await use.release();
    expect(isRunning(use.server)).toBe(false);
  });

  it("ends the server of a command that was killed where nobody can be noted as its next user", async () => {
    const killed = await startUser();
    await killed.killWith("SIGKILL");
    await mkdir(join(folder, "sandbox.json.new"));
    await expect(acquire()).rejects.toMatchObject({ code: "Unavailable" });
    expect(isRunning(killed.server)).toBe(false);
  });

  it("starts anew over a record that it cannot read", async () => {
    await writeFile(join(folder, "sandbox.json"), "{");
    const use = await acquire();
    expect(use.startedHere).toBe(true);
    await use.release();
  });
});
