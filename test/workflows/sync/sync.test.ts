import { setTimeout as delay } from "node:timers/promises";

import { ApplicationFailure, METADATA_ENCODING_KEY, RawValue } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import type { CloseRunInput, OpenRunInput } from "../../../activities/inputs.ts";
import { reportWith } from "../../support/project/report.ts";
import {
  fakeWorld,
  fault,
  goodRun,
  graceMs,
  held,
  heldUntil,
  nameInSearchOf,
  openedRun,
  progressOf,
  stagedChunk,
  wasCancelled,
  type Activities,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

describe("a run", () => {
  it.each([
    { how: "lightweight when it is whole and fits", chunks: 1, parts: 3, steps: [3, 0] },
    {
      how: "heavyweight when it is whole and needs more bodies",
      chunks: 1,
      parts: 4,
      steps: [0, 1],
    },
    { how: "heavyweight when it is more than its first chunk", chunks: 2, parts: 1, steps: [0, 2] },
  ])("travels $how", async ({ chunks, parts, steps }) => {
    const closings: CloseRunInput[] = [];
    const good = goodRun(chunks);
    const run = fakes({
      ...good,
      stageChunk: async ({ chunk }) => stagedChunk({ parts, done: chunk === chunks }),
      closeRun: async (closing) => {
        closings.push(closing);
        return reportWith();
      },
    });
    const handle = await run.run("sync", input);
    const [bodies, files] = [run.callsOf("uploadJson"), run.callsOf("uploadFile")];
    expect([bodies.length, files.length]).toEqual(steps);
    const { mode, mode_reason: reason } = await progressOf(handle);
    expect(mode).toBe(files.length > 0 ? "heavyweight" : "lightweight");
    expect(closings).toMatchObject([{ outcome: "done", mode: { mode, reason } }]);
  });

  it("commits a chunk in which nothing leaves, and the next one decides the mode", async () => {
    const run = fakes({
      ...goodRun(2),
      stageChunk: async ({ chunk }) =>
        stagedChunk(chunk === 1 ? { records: 0, parts: 0 } : { parts: 1, done: true }),
    });
    await run.run("sync", input);
    expect(run.callsOf("uploadJson", "uploadFile")).toEqual(["uploadJson 2.0"]);
    expect(run.callsOf("commitChunk")).toEqual(["commitChunk 1", "commitChunk 2"]);
  });

  it("is done although its files cannot be removed", async () => {
    const run = fakes({
      ...goodRun(1),
      dropChunk: async () => {
        throw fault("StateUnavailable");
      },
    });
    const handle = await run.start("sync", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
  });

  it("is found by its sync where Temporal knows the attribute", async () => {
    const run = fakes(goodRun(1, { searchAttribute: true }));
    expect(await nameInSearchOf(await run.run("sync", input))).toBe("accounts");
  });

  it("hands on what was asked for, as a replay where rejects are named", async () => {
    const opened: OpenRunInput[] = [];
    const run = fakes({
      ...goodRun(1),
      openRun: async (asked) => {
        opened.push(asked);
        return openedRun(asked.runId);
      },
    });
    const [first, second] = [
      await run.run("sync", { ...input, mode: "heavyweight", full: true, limit: 3 }),
      await run.run("sync", { ...input, replay: { run: "accounts-1", code: "required" } }),
    ];
    const request = { mode: "heavyweight", full: true, limit: 3 };
    const replay = { run: "accounts-1", code: "required" };
    const { workflowId } = first;
    expect(opened).toMatchObject([
      { kind: "sync", workflowId, sync: "accounts", request },
      { kind: "replay", workflowId: second.workflowId, request: { replay } },
    ]);
  });

  it("continues in another execution as the same run, with its mode and counts", async () => {
    const run = fakes(goodRun(5, { chunksPerRun: 2 }));
    const handle = await run.run("sync", input);
    expect(run.executions.size).toBe(3);
    expect(run.callsOf("openRun", "closeRun")).toEqual(["openRun", "closeRun done"]);
    expect(run.callsOf("stageChunk", "commitChunk")).toHaveLength(10);
    // The last chunk alone would have been small enough for a body.
    expect(run.callsOf("uploadFile")).toHaveLength(5);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 50, sent: 50, staged_chunks: 5, committed_chunks: 5 });
  });
});

describe("a cancelled run", () => {
  const before = ["commitChunk 1"];
  const cases: { at: string; how: Partial<Activities>; commits: readonly string[] }[] = [
    { at: "openRun", how: { openRun: async () => await held() }, commits: [] },
    { at: "stageChunk 1", how: { stageChunk: async () => await held() }, commits: [] },
    {
      at: "uploadFile 2.0",
      how: { uploadFile: async ({ chunk }) => (chunk === 1 ? { fileKey: "key" } : await held()) },
      commits: before,
    },
    {
      at: "confirmUpload 2.0",
      how: { confirmUpload: async ({ chunk }) => (chunk === 1 ? {} : await held()) },
      commits: before,
    },
    // The service took it before the activity learned of the cancel.
    {
      at: "confirmUpload 1.0",
      how: { confirmUpload: async () => await held().catch(() => ({})) },
      commits: before,
    },
  ];

  it.each(cases)("commits what was accepted: at $at, $commits", async ({ at, how, commits }) => {
    const run = fakes({ ...goodRun(3), ...how });
    const handle = await run.start("sync", input);
    await run.begun(at);
    if (commits.length > 0 && at !== "confirmUpload 1.0") await run.begun("dropChunk 1");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.callsOf("commitChunk")).toEqual(commits);
    expect(run.calls.at(-1)).toBe("closeRun cancelled");
    expect(run.calls.includes("dropChunk")).toBe(at !== "openRun");
  });

  it("commits although the cancel comes while it does", async () => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodRun(1),
      commitChunk: async () => {
        await heldUntil(gate.promise);
        return { isLockWanted: false, rejects: [] };
      },
    });
    const handle = await run.start("sync", input);
    await run.begun("commitChunk 1");
    await handle.cancel();
    await delay(graceMs);
    gate.resolve();
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("commitChunk", "closeRun")).toEqual(["commitChunk 1", "closeRun done"]);
  });

  it("is cancelled, and has not failed, when the worker of an attempt is gone", async () => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodRun(1, { heartbeatTimeoutMs: 400 }),
      uploadJson: async () => {
        await gate.promise;
        return { fileKey: null };
      },
    });
    const handle = await run.start("sync", input);
    await run.begun("uploadJson 1.0");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    gate.resolve();
    expect(run.callsOf("uploadJson", "closeRun")).toEqual(["uploadJson 1.0", "closeRun cancelled"]);
  });

  it.each([
    { is: "is cancelled, and has not", nonRetryable: false, outcome: "cancelled" },
    { is: "has", nonRetryable: true, outcome: "failed" },
  ])(
    "$is failed, when its attempt fails before it hears of it",
    async ({ nonRetryable, outcome }) => {
      const gate = Promise.withResolvers<void>();
      const run = fakes({
        ...goodRun(1),
        uploadJson: async () => {
          await gate.promise;
          throw ApplicationFailure.create({ type: "Unavailable", message: "503", nonRetryable });
        },
      });
      const handle = await run.start("sync", input);
      await run.begun("uploadJson 1.0");
      await handle.cancel();
      await delay(graceMs);
      gate.resolve();
      await expect(handle.result()).rejects.toMatchObject(
        nonRetryable ? { cause: { type: "Unavailable" } } : wasCancelled,
      );
      expect(run.callsOf("uploadJson", "closeRun")).toEqual([
        "uploadJson 1.0",
        `closeRun ${outcome}`,
      ]);
    },
  );
});

describe("a run that ends early", () => {
  it.each([
    { type: "Busy", outcome: "busy" },
    { type: "CreditsExhausted", outcome: "credits_exhausted" },
  ])("ends well with what became of it: $type", async ({ type, outcome }) => {
    const run = fakes({
      ...goodRun(1),
      openRun: async () => {
        throw fault(type, {}, "why");
      },
    });
    const handle = await run.start("sync", input);
    expect(await handle.result()).toMatchObject({ outcome, error: { code: type, message: "why" } });
    expect(run.calls).toEqual(["openRun", `closeRun ${outcome}`]);
  });

  it("fails with its report where it failed, and with what to do", async () => {
    const run = fakes({
      ...goodRun(1),
      stageChunk: async () => {
        throw fault("TooManyRejects", { hint: "look at them" }, "too many");
      },
    });
    const handle = await run.run("sync", input);
    const failure = { code: "TooManyRejects", message: "too many", hint: "look at them" };
    await expect(handle.result()).rejects.toMatchObject({
      cause: {
        type: "TooManyRejects",
        message: "too many (look at them)",
        details: [{ outcome: "failed", error: failure }],
      },
    });
    expect(run.callsOf("dropChunk", "closeRun")).toEqual(["dropChunk", "closeRun failed"]);
  });

  it.each([
    { why: "it was never opened", type: "UnknownSync", closed: null, closings: 1 },
    { why: "it had ended well before", type: "RunEnded", closed: reportWith(), closings: 0 },
    { why: "its first end is kept", type: "Unexpected", closed: reportWith(), closings: 1 },
  ])("fails as what ended it when $why", async ({ type, closed, closings }) => {
    const run = fakes({
      ...goodRun(1),
      openRun: async () => {
        throw fault(type, {}, "why");
      },
      closeRun: async () => closed,
    });
    const handle = await run.run("sync", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type, message: "why" } });
    expect(run.callsOf("closeRun")).toHaveLength(closings);
  });
});

describe("an input that cannot be used", () => {
  const infinity = RawValue.fromPayload({
    metadata: { [METADATA_ENCODING_KEY]: Buffer.from("json/plain") },
    data: Buffer.from('{"sync":"accounts","limit":Infinity}'),
  });

  it.each([
    { given: { syncs: "accounts" }, text: 'Unrecognized key: "syncs"' },
    { given: { sync: "accounts", limit: -1 }, text: '{"sync":"accounts","limit":1000}' },
    { given: { sync: "__proto__" }, text: "the name of a sync" },
    { given: ["accounts"], text: "expected object" },
    { given: { full: true }, text: "✖ it is missing" },
    { given: { sync: "accounts", full: "yes" }, text: "✖ must be true or false, not text" },
    { given: { sync: "accounts", mode: "ligtweight" }, text: '(did you mean "lightweight"?)' },
    { given: infinity, text: "it is not JSON" },
  ])("ends the workflow at once, with one to paste: $text", async ({ given, text }) => {
    const run = fakes({});
    const handle = await run.run("sync", given);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "InvalidInput", nonRetryable: true },
    });
    await expect(handle.result()).rejects.toHaveProperty(
      "cause.message",
      expect.stringContaining(text),
    );
    expect(run.calls).toEqual([]);
  });
});
