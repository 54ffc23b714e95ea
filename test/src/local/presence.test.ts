import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { ConfigError, StateUnavailableError } from "../../../src/errors.ts";
import { startBeating } from "../../../src/local/presence.ts";
import { hostBeatMs } from "../../../src/state/limits.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

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
    hostId: "host",
    temporalId: "temporal",
    command: "worker",
    configs: {},
    folder: "folder",
    now: () => 0,
  });
  const refusals: ConfigError[] = [];
  void beating.refused.then((error) => refusals.push(error));
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  expect(refusals).toEqual([]);
  await vi.advanceTimersByTimeAsync(hostBeatMs);
  expect(refusals).toEqual([upgrade]);
  await beating.stop();
});
