import type { Moment } from "../../src/clock.ts";

/** Both clocks of a system, standing still until a test moves them. */
export class TestClock {
  #nowMs = Date.parse("2026-01-01T00:00:00.000Z");
  #upMs = 60_000;
  #boots = 1;

  /** Unix ms; setting it is time that passes, on both clocks. */
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

  /** Boots: the clock of the boot begins anew. */
  reboot(): void {
    this.#boots += 1;
    this.#upMs = 1_000;
  }

  /** Both clocks, as a store is asked with. */
  readonly moment = (): Moment => ({
    nowMs: this.#nowMs,
    boot: { id: `boot ${this.#boots}`, upMs: this.#upMs },
  });
}
