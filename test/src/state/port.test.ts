import { describe, expect, it, onTestFinished } from "vitest";

import type { Effect } from "../../../src/effect.ts";
import { hashBytes } from "../../../src/state/contract/keys/fingerprints.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import { StoreUnderTest } from "./store-under-test.ts";

const name = { target: "http://127.0.0.1", sync: "accounts" };

describe("stateOnPort", () => {
  it("puts the effect around what writes, and not around what reads", async () => {
    const seen: string[] = [];
    const effect: Effect = async (what, work) => {
      seen.push(what);
      return await work();
    };
    const store = await openStoreInline(await temporaryFolder(), effect);
    onTestFinished(async () => await store.close());
    await store.checkpoint(name);
    await store.run("run-1");
    await store.forgetFingerprints(name);
    const at = new Date().toISOString();
    await store.setCheckpoint({ ...name, version: 0, position: null, reason: "a test", at });
    expect(seen).toEqual(["forgetFingerprints", "setCheckpoint"]);
  });

  it("does not write what the effect keeps back", async () => {
    const store = await openStoreInline(
      await temporaryFolder(),
      async () => await Promise.reject(new Error("killed")),
    );
    onTestFinished(async () => await store.close());
    const at = new Date().toISOString();
    const change = { ...name, version: 0, position: null, reason: "a test", at };
    await expect(store.setCheckpoint(change)).rejects.toThrow("killed");
    expect(await store.checkpoint(name)).toMatchObject({ version: 0 });
  });

  it("hands keys and hashes over, and puts the effect around that, too", async () => {
    const seen: string[] = [];
    const effect: Effect = async (what, work) => {
      seen.push(what);
      return await work();
    };
    const folder = await temporaryFolder();
    const test = StoreUnderTest.of(folder, await openStoreInline(folder, effect));
    onTestFinished(async () => await test.store.close());
    await test.openRun("r1");
    const drawn = await test.store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const hashes = new Uint8Array(hashBytes);
    await test.judge({ runId: "r1", chunk: 1, ...drawn, keys: ["a"], hashes });
    expect(hashes.length).toBe(0);
    expect(seen.at(-1)).toBe("stageKeys");
  });
});
