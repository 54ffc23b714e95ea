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

/** Names the boot of this system; undefined where it does not. */
export function bootId(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // A sandbox without /proc has one clock.
    return undefined;
  }
}

/** The clock that decides as long as nobody boots: of the boot where it is known, else the wall's. In ms. */
export function steadyMs({ nowMs, boot }: Moment): number {
  return boot?.upMs ?? nowMs;
}

/** What comes of some work, which may take `ms`; undefined where it takes longer: what comes of it then is nobody's. */
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
