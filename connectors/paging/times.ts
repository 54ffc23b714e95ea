/** A change that is a time: when it was to the second, read as UTC where it names no zone. */
type Time = {
  readonly ms: number;
  /** The digits of the second's fraction. */
  readonly fraction: string;
  readonly zone: "none" | "utc" | "offset";
};

const iso =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))? ?(?:(Z)|([+-]\d\d):?(\d\d)?)?)?$/i;

/** How far the clocks of a zone may be ahead of UTC. */
const zoneAheadMs = 14 * 3_600_000;

const lastMs = Date.parse("9999-12-31T23:59:59Z");

/** A time, or a day; undefined for anything else, whole numbers too. */
function timeOf(change: string): Time | undefined {
  const [, day, time = "00:00", seconds = ":00", fraction = "", utc, hours, minutes = "0"] =
    iso.exec(change) ?? [];
  const ms = Date.parse(`${day}T${time}${seconds}Z`);
  if (Number.isNaN(ms)) return undefined;
  if (hours === undefined) return { ms, fraction, zone: utc === undefined ? "none" : "utc" };
  const offset = Math.abs(Number(hours)) * 60 + Number(minutes);
  return {
    ms: ms + (hours.startsWith("-") ? offset : -offset) * 60_000,
    fraction,
    zone: "offset",
  };
}

/** A time with an offset as the text of the same time in UTC; undefined for anything else. */
export function utcOf(change: string): string | undefined {
  const time = timeOf(change);
  if (time?.zone !== "offset") return undefined;
  const seconds = new Date(Math.min(time.ms, lastMs)).toISOString().slice(0, -".000Z".length);
  return time.fraction === "" ? seconds : `${seconds}.${time.fraction}`;
}

/**
 * Whether a change is a time later than now, or by more than `byMs` later: such a row says nothing about the ones that
 * change until then. A time without a zone counts as later once it is so in every zone.
 */
export function isAhead(change: string, byMs = 0): boolean {
  const time = timeOf(change);
  return (
    time !== undefined && time.ms > Date.now() + (time.zone === "none" ? zoneAheadMs : 0) + byMs
  );
}
