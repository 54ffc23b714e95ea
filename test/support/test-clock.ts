import type { Moment } from "../../src/clock.ts";

/** Both clocks of a system, stopped until a test moves them. */
export class TestClock {
  #nowMs = Date.parse("2026-01-01T00:00:00.000Z");
  #upMs = 60_000;
  #boots = 1;

  /** Unix ms. Setting it lets time pass on both clocks. */
  get nowMs(): number {
    return this.#nowMs;
  }

  set nowMs(nowMs: number) {
    this.#upMs += nowMs - this.#nowMs;
    this.#nowMs = nowMs;
  }

  /** Sets the wall clock alone, forward or back. */
  stepWall(ms: number): void {
    this.#nowMs += ms;
  }

  /** Reboots: the boot clock starts again. */
  reboot(): void {
    this.#boots += 1;
    this.#upMs = 1_000;
  }

  /** Both clocks, as callers pass them to a store. */
  readonly moment = (): Moment => ({
    nowMs: this.#nowMs,
    boot: { id: `boot ${this.#boots}`, upMs: this.#upMs },
  });
}
