import { globSync } from "node:fs";

const hourMs = 3_600_000;

/** How the clock of a program is set: by libfaketime if it is installed, otherwise by shifting its `Date`. */
export type ClockMeans = "Date shifted by a preload" | "libfaketime";

const [libfaketime] = globSync([
  "/usr/lib/*/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
]);

/** What this machine offers. */
export const clockMeans: ClockMeans =
  libfaketime === undefined ? "Date shifted by a preload" : "libfaketime";

/** The environment in which a program's wall clock is this many hours ahead, but not its timers and files. */
export function clockAhead(hours: number): NodeJS.ProcessEnv {
  if (hours === 0) return {};
  if (libfaketime === undefined) {
    const preload = new URL("shift-date.ts", import.meta.url);
    return { NODE_OPTIONS: `--import=${preload.href}`, CHAOS_CLOCK_MS: String(hours * hourMs) };
  }
  return {
    LD_PRELOAD: libfaketime,
    FAKETIME: `${hours > 0 ? "+" : ""}${hours}h`,
    DONT_FAKE_MONOTONIC: "1",
    // File times stay those of the disk, which another worker reads too.
    NO_FAKE_STAT: "1",
  };
}
