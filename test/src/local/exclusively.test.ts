import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { exclusively } from "../../../src/local/exclusively.ts";
import { end } from "../../support/process/process.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-exclusively-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/**
 * A process that holds the lock until it is killed. It waits for a timer: with a promise that nothing can settle,
 * garbage collection would take the waiting function, its connection, and so the lock.
 */
async function startHolder(lock: string): Promise<ReturnType<typeof spawn>> {
  const module = new URL("../../../src/local/exclusively.ts", import.meta.url).href;
  const code = `import { setTimeout as delay } from "node:timers/promises";
    import { exclusively } from ${JSON.stringify(module)};
    await exclusively(${JSON.stringify(lock)}, () => { console.log("held"); return delay(1_000_000); });`;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => await end(holder, "SIGKILL"));
  await Promise.race([once(holder.stdout, "data"), refuseAnEnd(holder)]);
  return holder;
}

/** Fails if the holder ends before it holds anything. */
async function refuseAnEnd(holder: ReturnType<typeof spawn>): Promise<never> {
  await once(holder, "exit");
  throw new Error(`the holder ended with ${holder.exitCode ?? holder.signalCode}`);
}

describe("exclusively", () => {
  it("lets one caller in at a time and gives back what each returns", async () => {
    const lock = join(folder, "made", "for-it", "lock");
    let inside = 0;
    const results = await Promise.all(
      [1, 2, 3].map(
        async (number) =>
          await exclusively(lock, async () => {
            expect(++inside).toBe(1);
            await new Promise(setImmediate);
            inside--;
            return number;
          }),
      ),
    );
    expect(results).toEqual([1, 2, 3]);
  });

  it("frees the lock when the work throws", async () => {
    const lock = join(folder, "lock");
    const failing = exclusively(
      lock,
      async () => await Promise.reject(new Error("the work broke")),
    );
    await expect(failing).rejects.toThrow("the work broke");
    expect(await exclusively(lock, async () => await Promise.resolve("in"))).toBe("in");
  });

  it("waits, saying so once, for another process and continues when that is killed", async () => {
    const lock = join(folder, "lock");
    const holder = await startHolder(lock);
    let waits = 0;
    const waiting = Promise.withResolvers<undefined>();
    const entered = exclusively(
      lock,
      // Not its signalCode, which Node may receive only after the lock is free.
      async () => await Promise.resolve(holder.killed),
      () => {
        waits++;
        waiting.resolve(undefined);
      },
    );
    await Promise.race([waiting.promise, entered]);
    expect(waits).toBe(1);
    const gone = once(holder, "exit");
    holder.kill("SIGKILL");
    await gone;
    expect(await entered).toBe(true);
    expect(waits).toBe(1);
  });
});
