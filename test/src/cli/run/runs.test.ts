import { beforeEach, describe, expect, it } from "vitest";

import { runOfRejects } from "../../../../src/cli/run/runs.ts";
import type { Outcome, RunKind } from "../../../../src/state/contract/runs/runs.ts";
import { openSqliteStore } from "../../../../src/state/sqlite/open.ts";
import { at, name, staged, StoreUnderTest } from "../../state/store-under-test.ts";

describe("runOfRejects", () => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(openSqliteStore);
  });

  async function run(runId: string, kind: RunKind, outcome: Outcome): Promise<void> {
    await test.openRun(runId, kind);
    await test.store.endRun({ runId, outcome, endedAt: at });
  }

  async function meant(named: Omit<Parameters<typeof runOfRejects>[1], "target">): Promise<string> {
    return (await runOfRejects(test.store, { ...named, target: name.target })).runId;
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

  /** A drain with one reject, committed. */
  async function rejecting(runId: string): Promise<void> {
    const { store } = test;
    await test.openRun(runId, "inbox");
    const { stage } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    const rejects = [
      { stream: "account", place: `forms#${runId}`, step: "map", code: "required", reason: "bad" },
    ] as const;
    await store.addRejects({ runId, chunk: 1, stage, rejects, at });
    await store.finishStage({ runId, chunk: 1, stage, ...staged });
    await test.accept(runId, 1, stage);
    await store.commitChunk({ runId, chunk: 1, stage, at });
    await store.endRun({ runId, outcome: "done_with_rejects", endedAt: at });
  }

  /** A replay that has taken the reject of a run, and ended with this outcome. */
  async function replay(runId: string, of: string, outcome: Outcome): Promise<void> {
    const { store } = test;
    const workflow = { workflowId: runId, firstRunId: runId, kind: "replay" } as const;
    const opening = { temporalId: "t", configHash: "c", startedAt: at };
    await store.openRun({
      runId,
      ...name,
      ...workflow,
      ...opening,
      request: { replay: { run: of } },
    });
    await store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at });
    await store.listReplay({ runId, run: of });
    const { stage } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    await store.supersedeRejects({ runId, chunk: 1, stage, places: [`forms#${of}`] });
    await store.endRun({ runId, outcome, endedAt: at });
  }

  it("goes from drain to drain as their rejects are replayed, also when a replay was the newest run", async () => {
    const { sync } = name;
    await rejecting("r1");
    await rejecting("r2");
    expect(await meant({ sync })).toBe("r2");
    expect(await meant({ sync, code: "required" })).toBe("r2");
    await replay("p2", "r2", "done_with_rejects");
    expect(await meant({ sync })).toBe("r1");
    await run("r3", "inbox", "done");
    expect(await meant({ sync })).toBe("r1");
    await replay("p1", "r1", "done");
    expect(await meant({ sync })).toBe("p2");
  });
});
