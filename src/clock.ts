import { readFileSync } from "node:fs";

/**
 * One moment on two clocks. The wall clock can be set; the clock of one boot only runs forward and is the
 * same for every process, but says nothing after the next boot.
 */
export type Moment = {
  /** Unix ms. */
  readonly nowMs: number;
  /** Undefined where the system does not name its boot: the wall clock alone decides then. */
  readonly boot?: { readonly id: string; readonly upMs: number } | undefined;
};

/** Reads a `Moment`. */
export type Clock = () => Moment;

/**
 * The clocks of this system. Only Linux names its boot; there CLOCK_MONOTONIC leaves out the time a laptop
 * sleeps, so a wait gets longer by it and never shorter.
 */
export function systemClock(): Clock {
  const id = bootId();
  if (id === undefined) return () => ({ nowMs: Date.now() });
  return () => ({
    nowMs: Date.now(),
    boot: { id, upMs: Number(process.hrtime.bigint() / 1_000n) / 1_000 },
  });
}

/** The id of this system's boot; undefined where the system does not name it. */
export function bootId(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // A sandbox without /proc has only the wall clock.
    return undefined;
  }
}

/** The clock to use until the next boot, in ms: the boot's where it is known, otherwise the wall clock. */
export function steadyMs({ nowMs, boot }: Moment): number {
  return boot?.upMs ?? nowMs;
}

/** The result of some work, or undefined if it takes longer than `ms`: a later result is ignored. */
export async function inTime<Result>(
  work: Promise<Result>,
  ms: number,
): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ms, undefined);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
