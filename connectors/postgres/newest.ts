import { quoteName } from "../../src/postgres/names.ts";
import type { Finding } from "../contract/request.ts";
import type { Session } from "./client.ts";
import { clockStepMs, clocksPutBackMs, zonesApartMs } from "./limits.ts";
import { brieflyAsked, guessedZone, spanText, nowAs, zoneFor } from "./read-limit.ts";
import { isZoneGuessed, type PostgresSource } from "./source.ts";

/** The findings of `check` about the change column's zone, and about its newest row against the server's clock. */
export async function checkStamps(
  session: Session,
  source: PostgresSource,
): Promise<readonly Finding[]> {
  const { changed, zone } = source;
  if (changed?.kind !== "time") return [];
  const aheadMs = changed.type === "date" ? undefined : await newestAheadMs(session, source);
  const stamps = aheadMs === undefined ? undefined : stampsFinding(source, aheadMs);
  const asked: readonly Finding[] = isZoneGuessed(source)
    ? [
        {
          name: "time zone",
          ok: false,
          detail: guessedZone(changed, zone.name),
          fix:
            `say which zone its times are in: \`time_zone: UTC\` (what most frameworks write), or ` +
            `\`time_zone: ${zone.name}\``,
        },
      ]
    : [];
  return stamps === undefined ? asked : [...asked, stamps];
}

/**
 * By how many ms the newest row is stamped ahead of the server's clock, negative if behind it; undefined where the
 * query takes too long.
 */
async function newestAheadMs(
  session: Session,
  { changed, from, zone }: PostgresSource,
): Promise<number | undefined> {
  if (changed === undefined) return undefined;
  const [name, now] = [quoteName(changed.name), nowAs(changed, "now()")];
  const near = `interval '${zonesApartMs} milliseconds'`;
  const sql = `select round(extract(epoch from max(${name}) - ${now}) * 1000) as ms from ${from}
    where ${name} between ${now} - ${near} and ${now} + ${near}`;
  const row = await brieflyAsked(session, [sql, zoneFor(changed, zone.name)]);
  const ms = row?.["ms"] ?? null;
  return ms === null ? undefined : Number(ms);
}

/** The finding for a stamp that no right clock in the right zone would give; undefined if it may well be right. */
function stampsFinding({ changed, zone }: PostgresSource, aheadMs: number): Finding | undefined {
  const name = "newest row";
  const isLocal = changed?.type !== "timestamp with time zone";
  const here = isLocal ? `the server's clock in ${zone.name}` : "the server's clock";
  if (aheadMs > clockStepMs) {
    return {
      name,
      ok: false,
      detail: `it is stamped ${spanText(aheadMs)} ahead of ${here}`,
      fix: isLocal
        ? "set `time_zone` to the zone that the column's times are in; if it is that, look at the " +
          "clock of who stamps the rows"
        : "look at the clock of who stamps the rows: a run leaves such rows for later",
    };
  }
  // Where nothing changed for hours, it is still right.
  if (!isLocal || aheadMs > -clocksPutBackMs / 2) return undefined;
  const detail =
    `warning: it is stamped ${spanText(-aheadMs)} behind ${here}: if a row changed since, ` +
    `\`time_zone\` is another`;
  return { name, ok: true, detail };
}
