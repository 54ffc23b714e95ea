import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

import { cpuSecondsOf } from "../../../bench/child.ts";

/** How often a process is looked at: far shorter than anything that waits for it. */
const lookMs = 20;

/** The most that a process may catch up of what it left unused: it is as slow at every moment as a slow machine is. */
const savedMsMax = 100;

/**
 * Holds a process to a share of one core until `signal` aborts or it ends: it is stopped while it has used more. What
 * it runs beside itself is not counted.
 */
export async function holdToShare(
  child: ChildProcess,
  { share, signal }: { readonly share: number; readonly signal: AbortSignal },
): Promise<void> {
  let [leftMs, isStopped] = [0, false];
  let [usedMs, nowMs] = [(await cpuSecondsOf(child)) * 1_000, performance.now()];
  while (!signal.aborted && child.exitCode === null && child.signalCode === null) {
    await delay(lookMs);
    const [used, now] = [(await cpuSecondsOf(child)) * 1_000, performance.now()];
    leftMs = Math.min(savedMsMax, leftMs + (now - nowMs) * share - (used - usedMs));
    [usedMs, nowMs] = [used, now];
    if (leftMs < 0 === isStopped) continue;
    isStopped = leftMs < 0;
    child.kill(isStopped ? "SIGSTOP" : "SIGCONT");
  }
  if (isStopped) child.kill("SIGCONT");
}
