import { beforeEach, describe, expect, it } from "vitest";

import { lastRun } from "../../../../src/cli/status/last-run.ts";
import type { RunKind, RunRequest } from "../../../../src/state/contract/runs/runs.ts";
import { implementations, name, StoreUnderTest } from "../../state/store-under-test.ts";

const minute = (number: number): string => new Date(number * 60_000).toISOString();

describe.each(implementations)("the last run of a sync: $kind", ({ open }) => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
  });

  const begin = async (
    runId: string,
    started: number,
    story: { target?: string; request?: RunRequest; kind?: RunKind } = {},
  ): Promise<void> => {
    const { target = name.target, request = {}, kind = "sync" } = story;
    const workflow = { workflowId: runId, firstRunId: runId, kind };
    const opening = { temporalId: "t", configHash: "c", request, startedAt: minute(started) };
    await test.store.openRun({ runId, ...name, target, ...workflow, ...opening });
  };
  const end = async (runId: string, ended: number, outcome: "busy" | "done"): Promise<void> => {
    await test.store.endRun({ runId, outcome, endedAt: minute(ended) });
  };
  const last = async (): Promise<string | undefined> => {
    const transfer = { name: name.sync, kind: "sync", schedule: undefined } as const;
    return (await lastRun(test.store, transfer, name.target))?.runId;
  };

  it("is the newest at its target that was to move something", async () => {
    await begin("r1", 1);
    await end("r1", 2, "done");
    await begin("r2", 3, { target: "another service" });
    await begin("r4", 5, { kind: "replay" });
    expect(await last()).toBe("r1");
  });

  it("is found behind any number of replays", async () => {
    await begin("r1", 1);
    await end("r1", 2, "done");
    for (let at = 3; at < 60; at++) await begin(`replay-${at}`, at, { kind: "replay" });
    expect(await last()).toBe("r1");
  });

  it("is not one that another kept from beginning, once that one has ended", async () => {
    await begin("r1", 1);
    await begin("r2", 2);
    await end("r2", 3, "busy");
    expect(await last()).toBe("r1");
    await end("r1", 4, "done");
    expect(await last()).toBe("r1");
  });

  it("is one that found the sync busy, where nothing that ended since says more", async () => {
    await begin("r1", 1);
    await end("r1", 2, "done");
    await begin("r2", 3);
    await end("r2", 4, "busy");
    expect(await last()).toBe("r2");
  });
});
