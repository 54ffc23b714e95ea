export type { Bench, BenchRow, HardCell, PullBench, PushBench, Undo } from "./bench.ts";
export { conform } from "./conform.ts";
export type { Delivery } from "./delivery.ts";
export type { Outcome, Specimen, Thrown, Writing } from "./specimen.ts";
