import { describe, expect, it, onTestFinished } from "vitest";

import type { Effect } from "../../../src/effect.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";

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
});
