export type { Harness, HarnessRow, HardCell, PullHarness, PushHarness, Undo } from "./harness.ts";
export { conform } from "./conform.ts";
export type { Delivery } from "./delivery.ts";
export type { Outcome, TestCase, Thrown, Writing } from "./case.ts";
