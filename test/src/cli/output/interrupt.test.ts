import { expect, it } from "vitest";

import { untilAborted } from "../../../../src/cli/output/interrupt.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

it("a command that waits for Ctrl-C stays alive for as long, and no longer when what it runs breaks", async () => {
  const before = timers();
  const interrupted = new AbortController();
  const waiting = untilAborted(interrupted.signal);
  expect(timers()).toBe(before + 1);
  interrupted.abort();
  await waiting;
  const { signal } = new AbortController();
  const broken = Promise.reject(new Error("it broke"));
  await expect(untilAborted(signal, broken)).rejects.toThrow("it broke");
  expect(timers()).toBe(before);
});
