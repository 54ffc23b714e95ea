const minuteMs = 60_000;

/** Creating one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, made);
  return made;
}

/** How far a zone's clocks are ahead of UTC at a time, in minutes. */
export function offsetMinutes(time: Date, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(time);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ahead = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === "-" ? -ahead : ahead;
}

/** A time as a clock of the zone shows it: `2026-11-22 02:30`. */
export function clockText(time: Date, timeZone: string): string {
  const shifted = time.getTime() + offsetMinutes(time, timeZone) * minuteMs;
  return new Date(shifted).toISOString().slice(0, 16).replace("T", " ");
}

/** The same with the zone's offset: `2026-11-22 02:30 +01:00`. */
export function zonedText(time: Date, timeZone: string): string {
  const offset = offsetMinutes(time, timeZone);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const digits = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
  return `${clockText(time, timeZone)} ${offset < 0 ? "-" : "+"}${digits}`;
}
