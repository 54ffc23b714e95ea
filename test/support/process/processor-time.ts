/** The processor time of this thread that work takes, in ms; other work on the machine does not count. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const yardstick = "ab ".repeat(333_333);

/** The yardstick's time on an idle machine, a low estimate. */
const usualMs = 25;

/** As many milliseconds here and now: on a machine that others use, everything takes several times as long. */
export function slowed(ms: number): number {
  const passMs = processorMs(() => yardstick.replaceAll(/[b ]/g, (letter) => letter));
  return Math.max(ms, (ms * passMs) / usualMs);
}
