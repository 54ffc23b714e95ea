import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import type { FailureFacts } from "../../../activities/failure.ts";
import type { SplitInput } from "../../../activities/inputs.ts";
import { restagesPerChunkMax, uploadsPerPartMax } from "../../../workflows/limits.ts";
import {
  fakeWorld,
  fault,
  goodRun,
  graceMs,
  held,
  heldUntil,
  progressOf,
  stagedChunk,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };
const always = Infinity;

/** The maximum number of chunks that were begun and not committed. */
function mostAtOnce(calls: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const call of calls) {
    if (call.startsWith("stageChunk")) now += 1;
    if (call.startsWith("commitChunk")) now -= 1;
    most = Math.max(most, now);
  }
  return most;
}

/** A function that fails this many times, and then succeeds. */
function failing(times: number, error: Error): () => void {
  let left = times;
  return () => {
    left -= 1;
    if (left >= 0) throw error;
  };
}

describe("a transfer", () => {
  it("stages a chunk while the one before is sent, and never a third", async () => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodRun(4),
      confirmUpload: async ({ chunk }) => {
        if (chunk === 1) await gate.promise;
        return {};
      },
    });
    const handle = await run.start("sync", input);
    await run.begun("uploadFile 2.0");
    await delay(graceMs);
    gate.resolve();
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(mostAtOnce(run.calls)).toBe(2);
    const chunks = [1, 2, 3, 4];
    expect(run.callsOf("commitChunk")).toEqual(chunks.map((chunk) => `commitChunk ${chunk}`));
  });

  it("has the service take a chunk's files when the chunk before is committed", async () => {
    const run = fakes({
      ...goodRun(2),
      uploadFile: async ({ chunk }) => {
        if (chunk === 1) await run.begun("uploadFile 2.0");
        if (chunk === 1) await delay(graceMs);
        return { fileKey: "key" };
      },
    });
    await run.run("sync", input);
    expect(run.callsOf("confirmUpload", "commitChunk")).toEqual([
      "confirmUpload 1.0",
      "commitChunk 1",
      "confirmUpload 2.0",
      "commitChunk 2",
    ]);
  });

  it("has the service take a chunk's bodies when the chunk before is committed", async () => {
    const run = fakes({
      ...goodRun(2, { mode: "lightweight" }),
      uploadJson: async ({ chunk }) => {
        if (chunk === 1) await run.begun("stageChunk 2");
        if (chunk === 1) await delay(graceMs);
        return { fileKey: null };
      },
    });
    await run.run("sync", input);
    expect(run.callsOf("uploadJson", "commitChunk")).toEqual([
      "uploadJson 1.0",
      "commitChunk 1",
      "uploadJson 2.0",
      "commitChunk 2",
    ]);
  });

  it("sends a chunk as a file where a record is too large for a body, in whichever mode", async () => {
    const run = fakes({
      ...goodRun(2, { mode: "lightweight" }),
      // A record in doubt that an earlier run sent as a file.
      stageChunk: async ({ chunk }) =>
        stagedChunk({ parts: chunk === 1 ? 0 : 1, done: chunk === 2 }),
    });
    await run.run("sync", input);
    expect(run.callsOf("uploadFile", "confirmUpload", "uploadJson", "commitChunk")).toEqual([
      "uploadFile 1.0",
      "confirmUpload 1.0",
      "commitChunk 1",
      "uploadJson 2.0",
      "commitChunk 2",
    ]);
  });

  it("commits the chunk before one that fails, and stages none after it", async () => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodRun(3),
      confirmUpload: async () => {
        await heldUntil(gate.promise);
        return {};
      },
      uploadFile: async ({ chunk }) => {
        if (chunk === 2) throw fault("ApiRejected");
        return { fileKey: "key" };
      },
    });
    const handle = await run.start("sync", input);
    await run.begun("uploadFile 2.0");
    await delay(graceMs);
    gate.resolve();
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "ApiRejected" } });
    expect(run.callsOf("stageChunk", "commitChunk", "closeRun")).toEqual([
      "stageChunk 1",
      "stageChunk 2",
      "commitChunk 1",
      "closeRun failed",
    ]);
  });

  it("gives up the chunk after one that fails, and names the one that failed", async () => {
    const run = fakes({
      ...goodRun(3),
      uploadFile: async ({ chunk }) => {
        if (chunk === 2) return await held();
        await run.begun("uploadFile 2.0");
        throw fault("AuthFailed");
      },
    });
    const handle = await run.run("sync", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "AuthFailed" } });
    expect(run.callsOf("stageChunk", "commitChunk", "dropChunk", "closeRun")).toEqual([
      "stageChunk 1",
      "stageChunk 2",
      "dropChunk",
      "closeRun failed",
    ]);
  });

  it.each([
    { lost: 2, uploads: 3, outcome: "done" },
    { lost: always, uploads: uploadsPerPartMax, outcome: "failed" },
  ])(
    "uploads a file again that the service lost: $uploads times when it loses $lost",
    async ({ lost, uploads, outcome }) => {
      const lose = failing(lost, fault("UploadGone"));
      const run = fakes({
        ...goodRun(1, { mode: "heavyweight" }),
        confirmUpload: async () => {
          lose();
          return {};
        },
      });
      await run.run("sync", input);
      expect(run.callsOf("uploadFile")).toHaveLength(uploads);
      expect(run.callsOf("closeRun")).toEqual([`closeRun ${outcome}`]);
    },
  );
});

describe("a part that is refused", () => {
  const refused = [{ index: 3, field: "domain" }];
  const faults: { type: string; facts: FailureFacts; how: SplitInput["how"] }[] = [
    { type: "RecordsRejected", facts: { refused }, how: { without: refused } },
    { type: "RecordsRejected", facts: {}, how: { halves: true, why: "refused_by_service" } },
    { type: "TooLarge", facts: {}, how: { halves: true, why: "too_large" } },
    { type: "ServiceFails", facts: {}, how: { halves: true, why: "service_fails" } },
  ];

  it.each(faults)(
    "is split, and its parts go before the next: $type, $how",
    async ({ type, facts, how }) => {
      const asked: SplitInput["how"][] = [];
      const run = fakes({
        ...goodRun(1),
        stageChunk: async () => stagedChunk({ parts: 2, done: true }),
        uploadJson: async ({ part }) => {
          if (part === 0) throw fault(type, facts);
          return { fileKey: null };
        },
        splitChunk: async (split) => {
          asked.push(split.how);
          return { parts: [2, 3] };
        },
      });
      await run.run("sync", input);
      expect(asked).toEqual([how]);
      expect(run.callsOf("uploadJson", "splitChunk", "commitChunk")).toEqual([
        "uploadJson 1.0",
        "splitChunk 1.0",
        "uploadJson 1.2",
        "uploadJson 1.3",
        "uploadJson 1.1",
        "commitChunk 1",
      ]);
    },
  );

  it("is split again when it is a file, down to the part that the service takes", async () => {
    const run = fakes({
      ...goodRun(1, { mode: "heavyweight" }),
      confirmUpload: async ({ part }) => {
        if (part < 2) throw fault("ServiceFails");
        return {};
      },
      splitChunk: async ({ part }) => ({ parts: part === 0 ? [1, 2] : [3] }),
    });
    await run.run("sync", input);
    expect(run.callsOf("confirmUpload", "splitChunk", "commitChunk")).toEqual([
      "confirmUpload 1.0",
      "splitChunk 1.0",
      "confirmUpload 1.1",
      "splitChunk 1.1",
      "confirmUpload 1.3",
      "confirmUpload 1.2",
      "commitChunk 1",
    ]);
  });
});

describe("a staged file that is gone", () => {
  it("is staged again with the chunks after it, which count once", async () => {
    const lose = failing(1, fault("StagedFileMissing"));
    const run = fakes({
      ...goodRun(2),
      uploadFile: async ({ chunk }) => {
        if (chunk === 1) {
          await run.begun("uploadFile 2.0");
          lose();
        } else if (run.callsOf("stageChunk").length === 2) await held();
        return { fileKey: "key" };
      },
    });
    const handle = await run.run("sync", input);
    expect(run.callsOf("stageChunk")).toEqual([1, 2, 1, 2].map((chunk) => `stageChunk ${chunk}`));
    expect(run.callsOf("commitChunk")).toEqual(["commitChunk 1", "commitChunk 2"]);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 20, sent: 20, staged_chunks: 2, committed_chunks: 2 });
  });

  it("ends the run when it is gone again and again", async () => {
    const run = fakes({
      ...goodRun(1),
      uploadJson: async () => {
        throw fault("StagedFileMissing");
      },
    });
    const handle = await run.run("sync", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "StagedFileMissing" } });
    expect(run.callsOf("stageChunk")).toHaveLength(restagesPerChunkMax + 1);
  });

  it.each([
    { type: "SourceChanged", times: 2, stagings: 3, outcome: "done" },
    { type: "SourceChanged", times: always, stagings: restagesPerChunkMax + 1, outcome: "failed" },
    { type: "ConfigError", times: 1, stagings: 1, outcome: "failed" },
  ])(
    "is begun $stagings times when staging fails as $type, $times times",
    async ({ type, times, stagings, outcome }) => {
      const fail = failing(times, fault(type));
      const run = fakes({
        ...goodRun(1),
        stageChunk: async () => {
          fail();
          return stagedChunk({ done: true });
        },
      });
      await run.run("sync", input);
      expect(run.callsOf("stageChunk")).toHaveLength(stagings);
      expect(run.callsOf("closeRun")).toEqual([`closeRun ${outcome}`]);
    },
  );
});
