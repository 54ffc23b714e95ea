export type { Harness, HarnessRow, HardCell, PullHarness, PushHarness, Undo } from "./harness.ts";
export { conform } from "./conform.ts";
export type { DeliveryCase } from "./delivery.ts";
export type { CaseOutcome, TestCase, Thrown, Writing } from "./case.ts";
