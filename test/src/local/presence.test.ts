import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";

import { ConfigError, StateUnavailableError } from "../../../src/errors.ts";
import {
  queueNow,
  refuseOtherStore,
  runWorkers,
  startBeating,
  storesOn,
  workerIdentity,
} from "../../../src/local/presence.ts";
import { hostBeatMs } from "../../../src/state/limits.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const worker = {
  hostId: "host",
  temporalId: "temporal",
  command: "worker",
  configs: {},
  folder: "folder",
  now: () => 0,
  askTemporal: async () => await Promise.resolve(),
  silentMsMax: hostBeatMs,
};

const upgrade = new ConfigError("the store has schema version 99", { field: "store" });

it("beats on while the store is away, and tells once it is not for this worker any more", async () => {
  const answers = [undefined, new StateUnavailableError("the server is away"), upgrade];
  let beats = 0;
  const beat = async (): Promise<void> => {
    const answer = answers[beats++];
    if (answer !== undefined) await Promise.reject(answer);
  };
  const beating = await startBeating({
    state: { beat, stopBeating: async () => await Promise.resolve() },
    ...worker,
  });
  const refusals: ConfigError[] = [];
  void beating.refused.then((error) => refusals.push(error));
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  expect(refusals).toEqual([]);
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  expect(refusals).toEqual([upgrade]);
  await beating.stop();
});

it("is not heard of after it stopped, though the store is slow to take its last beat", async () => {
  const told: string[] = [];
  let slow: Promise<void> | undefined;
  const beating = await startBeating({
    state: {
      beat: async () => {
        await slow;
        told.push("beat");
      },
      stopBeating: async () => {
        told.push("stopped");
        await Promise.resolve();
      },
    },
    ...worker,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  slow = promise;
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  const stopping = beating.stop();
  await vi.advanceTimersByTimeAsync(1);
  resolve();
  await stopping;
  expect(told).toEqual(["beat", "beat", "stopped"]);
});

it("says that it works with nothing while Temporal is away for longer than a host may be, and then again", async () => {
  const configs = { "sync accounts": "c0ffee" };
  const told: unknown[] = [];
  let isAway = false;
  const beating = await startBeating({
    state: {
      beat: async (beat) => {
        told.push(beat.configs);
        await Promise.resolve();
      },
      stopBeating: async () => await Promise.resolve(),
    },
    hostId: "host",
    temporalId: "temporal",
    command: "worker",
    configs,
    folder: "folder",
    now: () => 0,
    askTemporal: async () => {
      if (isAway) await Promise.reject(new Error("Temporal is away"));
    },
    silentMsMax: 2 * hostBeatMs,
  });
  isAway = true;
  await vi.advanceTimersByTimeAsync(2 * hostBeatMs);
  expect(told).toEqual([configs, configs, configs]);
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  expect(told.at(-1)).toEqual({});
  isAway = false;
  await vi.advanceTimersByTimeAsync(2 * hostBeatMs);
  expect(told.slice(4)).toEqual([{}, configs]);
  await beating.stop();
});

it("a queue that a worker of a copied state folder polls is refused, and no other of the same store", async () => {
  vi.useRealTimers();
  const root = await temporaryFolder();
  const { client, namespace, close } = await ownNamespace(root);
  onTestFinished(close);
  const [folder, copy] = [join(root, "original"), join(root, "copy")];
  await mkdir(folder);
  await cp(folder, copy, { recursive: true });
  const place = { storeId: "store-1", folder };
  const ofCopy = workerIdentity({ ...place, folder: copy });
  const come = async (name: string, identity: string): Promise<void> => {
    const request = { namespace, taskQueue: { name }, identity };
    // It waits for work that nobody has. A connection that closed under it would make it retry, and throw.
    const poll = async (): Promise<unknown> =>
      await client.workflowService.pollWorkflowTaskQueue(request);
    const polling = client.withDeadline(Date.now() + 3_000, poll).catch(() => undefined);
    onTestFinished(async () => void (await polling));
    const queue = { namespace, taskQueue: { name }, taskQueueType: 1 };
    await until(async () => {
      const { pollers } = await client.workflowService.describeTaskQueue(queue);
      return pollers?.length === 1;
    });
  };
  await come("copied", ofCopy);
  // The last part of a process's identity is its start time.
  await come("gone", ofCopy.replace(/,\d+ in=/, ",1 in="));
  await come("same folder", workerIdentity(place));
  await come("older version", "7 store=store-1");
  await come("in postgres", workerIdentity({ ...place, folder: undefined }));
  await expect(refuseOtherStore(client, { taskQueue: "copied" }, place)).rejects.toThrow(
    `a worker (process ${process.pid}) of a copy of this project, whose state folder is another than ${folder}`,
  );
  for (const taskQueue of ["gone", "same folder", "older version", "in postgres"]) {
    await refuseOtherStore(client, { taskQueue }, place);
  }
});

it("who polls a queue is judged by the time that is given, however wrong the clock of this host is", async () => {
  vi.useRealTimers();
  const { client, namespace, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  const place = { storeId: "store-1", folder: undefined };
  const request = {
    namespace,
    taskQueue: { name: "sluice" },
    identity: workerIdentity({ ...place, storeId: "store-2" }),
  };
  const poll = async (): Promise<unknown> =>
    await client.workflowService.pollWorkflowTaskQueue(request);
  const polling = client.withDeadline(Date.now() + 3_000, poll).catch(() => undefined);
  onTestFinished(async () => void (await polling));
  const stores = async (nowMs?: number): Promise<unknown> =>
    await storesOn(client, { taskQueue: "sluice", nowMs });
  await expect.poll(async () => await stores()).toEqual(["store-2"]);
  const nowMs = Date.now();
  // The calls have deadlines by the wrong clock.
  const wrong = vi.spyOn(Date, "now").mockReturnValue(nowMs + 3_600_000);
  onTestFinished(() => wrong.mockRestore());
  expect(await stores(nowMs)).toEqual(["store-2"]);
  const queue = queueNow(
    { temporal: { taskQueue: "sluice", searchAttribute: true } },
    {
      now: () => nowMs,
    },
  );
  await expect(refuseOtherStore(client, queue, place)).rejects.toThrow(
    "a worker of another project",
  );
});

it("a worker that breaks ends the others, and is not thrown before they have ended", async () => {
  const other = Promise.withResolvers<void>();
  let state: "DRAINING" | "RUNNING" = "RUNNING";
  const workers = [
    {
      getState: () => "FAILED" as const,
      run: async () => await Promise.reject(new Error("it broke")),
      shutdown: () => {
        throw new Error("it is not running");
      },
    },
    {
      getState: () => state,
      run: async () => await other.promise,
      shutdown: () => {
        state = "DRAINING";
      },
    },
  ];
  const cutOff = new AbortController();
  const refused = new Promise<ConfigError>(() => undefined);
  let thrown: unknown;
  const running = runWorkers(workers, { refused, cutOff }).catch((error: unknown) => {
    thrown = error;
  });
  await vi.waitFor(() => expect(state).toBe("DRAINING"));
  expect(cutOff.signal.aborted).toBe(true);
  expect(thrown).toBeUndefined();
  other.resolve();
  await running;
  expect(thrown).toEqual(new Error("it broke"));
});
