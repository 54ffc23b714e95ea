import type { Config } from "../../config/config.ts";
import { closest } from "../../config/messages/did-you-mean.ts";
import { zoneNamed, zoneNames } from "../../config/schema/time-zone.ts";
import { wrongInput } from "../../failure-types.ts";
import { correctedInput } from "./corrected.ts";
import { givenMembers } from "./given.ts";
import { problemOf } from "./problem.ts";
import { inputCheck, syncOfInput, type BackfillRequest } from "./schema.ts";

/** What is needed to read an input. */
type About = {
  readonly syncs: ReadonlyMap<string, { readonly timeZone: string }>;
  readonly now: Date;
};

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A note for the reader about keys for which there was no room. */
function remarkOn(given: unknown, corrected: unknown): string {
  if (!Array.isArray(given) || !Array.isArray(corrected)) return "";
  const [all, shown] = [given.length, corrected.length];
  return shown >= all ? "" : `\nBelow are ${String(shown)} of the ${String(all)} keys.\n`;
}

/**
 * Reads the input that a person typed to start the workflow `backfill`, or lists all its faults, with a
 * corrected input to paste; short, however long the input. Undefined and null are an empty box. Times without
 * a zone are read in `time_zone`, or otherwise in the sync's own zone.
 */
export function readBackfillInput(
  raw: unknown,
  { syncs, now }: About,
): { readonly request: BackfillRequest } | { readonly problem: string } {
  const names = [...syncs.keys()];
  if (names.length === 0) {
    return { problem: wrongInput("✖ no sync is configured: add one to `syncs:` in sluice.yaml") };
  }
  const { members: given, faults } = givenMembers(raw, names);
  const [name, zone] = [textOf(given["sync"]), textOf(given["time_zone"])];
  // Also for a wrong input, so that the corrected one is read in the same zone.
  const sync = syncOfInput(name, names) ?? closest(name, names) ?? String(names[0]);
  const time_zone = zoneNamed(zone) ?? closest(zone, zoneNames);
  const how = { syncs: names, timeZone: time_zone ?? syncs.get(sync)?.timeZone ?? "UTC", now };
  const check = inputCheck(how);
  const { output: request, mistakes } = check(given);
  if (request !== undefined && faults.length === 0) return { request };
  const wrong = new Set(mistakes.map(({ path }) => path[0]));
  const corrected = correctedInput(given, wrong, { ...how, check, meant: { sync, time_zone } });
  const remark = remarkOn(given["keys"], corrected["keys"]);
  return { problem: problemOf([...faults, ...mistakes], { corrected, remark }) };
}

/** Reads a typed input as of `now`: "last 30 days" means the same whenever it is read again. */
export function requestOf(
  { config }: { readonly config: Pick<Config, "syncs"> },
  raw: unknown,
  now: Date,
): ReturnType<typeof readBackfillInput> {
  const zones = [...config.syncs].map(
    ([name, { schedule }]) => [name, { timeZone: schedule?.timeZone ?? "UTC" }] as const,
  );
  return readBackfillInput(raw, { syncs: new Map(zones), now });
}
