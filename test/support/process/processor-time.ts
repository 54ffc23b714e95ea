/** Milliseconds of this thread's processor that work takes: what else the machine does is not the work's. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const yardstick = "ab ".repeat(333_333);

/** What the yardstick takes on a machine of its own, rather less than more. */
const usualMs = 25;

/** As many milliseconds here and now: a machine that others use takes several times as long for all it does. */
export function slowed(ms: number): number {
  const passMs = processorMs(() => yardstick.replaceAll(/[b ]/g, (letter) => letter));
  return Math.max(ms, (ms * passMs) / usualMs);
}
