export type { Bench, BenchRow, HardCell, PullBench, PushBench, Undo } from "./bench.ts";
export { conform } from "./conform.ts";
