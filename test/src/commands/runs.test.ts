import { beforeEach, describe, expect, it } from "vitest";

import { runOfRejects } from "../../../src/commands/runs.ts";
import type { Outcome } from "../../../src/state/runs.ts";
import { openSqliteStore } from "../../../src/state/sqlite.ts";
import { at, name, StoreUnderTest } from "../state/store-under-test.ts";

describe("runOfRejects", () => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(openSqliteStore);
  });

  async function run(runId: string, kind: string, outcome: Outcome): Promise<void> {
    await test.openRun(runId, kind);
    await test.store.endRun({ runId, outcome, endedAt: at });
  }

  async function meant(named: { readonly run?: string; readonly sync?: string }): Promise<string> {
    return (await runOfRejects(test.store, named)).runId;
  }

  it("is the run that is named, else the newest", async () => {
    await run("r1", "sync", "done_with_rejects");
    await run("r2", "sync", "done");
    expect(await meant({})).toBe("r2");
    expect(await meant({ run: "r1" })).toBe("r1");
    await expect(meant({ run: "r3" })).rejects.toThrow('there is no run "r3"');
    await expect(meant({ sync: "contacts" })).rejects.toThrow("there is no run of contacts yet");
  });

  it("is of an inbox the newest that has rejects, where one has", async () => {
    await run("r1", "inbox", "done");
    expect(await meant({ sync: name.sync })).toBe("r1");
    await run("r2", "inbox", "done_with_rejects");
    await run("r3", "inbox", "done_with_rejects");
    await run("r4", "inbox", "done");
    expect(await meant({ sync: name.sync })).toBe("r3");
    expect(await meant({})).toBe("r3");
    expect(await meant({ run: "r4" })).toBe("r4");
  });
});
