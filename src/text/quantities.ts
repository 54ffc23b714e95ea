/**
 * A number with separated thousands. Workflows print with it, too, so it does not use a locale, which is
 * data of the Node that runs.
 */
export function grouped(value: number): string {
  return String(value).replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ",");
}

/** A share of a number, as it is in decimals: 57 % of 100 is 57, where a binary fraction makes it a little less. */
export function shareOf(share: number, of: number): number {
  return Number((share * of).toPrecision(12));
}

/** Bytes in a readable unit. */
export function byteText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  // From there on it would be rounded to a thousand.
  const found = units.findIndex((_, index) => bytes / 1_000 ** (index + 1) < 999.95);
  const power = found === -1 ? units.length : found + 1;
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Milliseconds in readable units: with tenths of a second only below ten seconds. */
export function durationText(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  if (whole < 60) return `${whole} s`;
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60];
  return minutes < 60
    ? `${minutes} min ${seconds} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Estimated seconds, in one unit. */
export function roughTimeText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** A count and what it counts. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** Milliseconds as whole minutes, at least one, for a time that is still to pass. */
export function minutesText(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 60_000))} min`;
}
