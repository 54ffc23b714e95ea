import { closest } from "../../config/did-you-mean.ts";
import { slipCharsMax } from "../../limits.ts";
import { listed, problemOf, quoted } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { givenMembers } from "./given.ts";
import { memberNames, readMembers, repairedMember, shortKeys, shortNote } from "./members.ts";
import type { GivenMembers, OwnMembers } from "./members.ts";
import type { BackfillRequest } from "./request.ts";
import { readSpan, repairedSpan } from "./span.ts";
import type { ReadSpan, SpanAsk } from "./span.ts";
import { zoneNamed } from "./time.ts";

/** What an input is read by. */
type About = {
  readonly syncs: ReadonlyMap<string, { readonly timeZone: string }>;
  readonly now: Date;
};

/** Characters of the names of syncs that a message lists (our choice). */
const syncNamesCharsMax = 200;

/** Members that say which rows, for which `keys` alone stand. */
const spanMembers = ["from", "to", "limit"] as const;

/** The sync that a name stands for; where there is none, why not. `name` is the one that may have been meant. */
function readSync(
  given: unknown,
  names: readonly string[],
): { readonly name: string | undefined; readonly fault?: string } {
  const known = `the syncs are ${listed(names, syncNamesCharsMax)}`;
  const [first] = names;
  if (first === undefined) {
    return { name: undefined, fault: "no sync is configured: add one to `syncs:` in sluice.yaml" };
  }
  if (given === undefined) return { name: first, fault: `is missing: write which one, ${known}` };
  if (typeof given !== "string") {
    return { name: first, fault: `must be the name of a sync in quotes: ${known}` };
  }
  const same = names.filter((one) => one.toLowerCase() === given.toLowerCase());
  const found = names.includes(given) ? given : same.length === 1 ? same[0] : undefined;
  if (found !== undefined) return { name: found };
  const meant = closest(given.slice(0, slipCharsMax + 1), names);
  const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
  return { name: meant ?? first, fault: `no sync is called ${quoted(given)}${hint}: ${known}` };
}

/** What members are wrong only beside others, and the names of those. */
function readTogether(
  given: GivenMembers,
  { advance_checkpoint: advances }: OwnMembers,
): readonly Fault[] {
  const faults: Fault[] = [];
  const beside = spanMembers.filter((name) => given[name] !== undefined);
  const hasKeys = given["keys"] !== undefined;
  if (hasKeys && beside.length > 0) {
    const others = beside.join(" and ");
    faults.push({
      at: "keys",
      message: `does not go with ${others}: leave out keys, or ${others}`,
    });
  }
  if (!advances) return faults;
  const at = "advance_checkpoint";
  if (given["to"] === undefined || hasKeys) {
    faults.push({
      at,
      message: "goes with `to` only, where the checkpoint moves: add `to`, or leave it out",
    });
  }
  // Rows beyond the limit would lie before the checkpoint, and nobody would ever send them.
  if (given["limit"] !== undefined) {
    faults.push({
      at,
      message:
        "does not go with limit, beyond which rows would be skipped for good: leave out one of them",
    });
  }
  return faults;
}

/** The members with as little changed as makes them right, in the order of a person. */
function repaired(
  given: GivenMembers,
  {
    sync,
    wrong,
    ask,
  }: { readonly sync: string; readonly wrong: ReadonlySet<string>; readonly ask: SpanAsk },
): GivenMembers {
  const own = memberNames.map((name): readonly [string, unknown] => [
    name,
    wrong.has(name) ? repairedMember(name, given[name]) : given[name],
  ]);
  const whole: GivenMembers = { ...Object.fromEntries<unknown>(own), sync };
  const { keys, note } = whole;
  const isSpan = keys === undefined;
  const { from, to } = isSpan ? repairedSpan(given, ask) : {};
  const limit = isSpan ? whole["limit"] : undefined;
  const mayAdvance = to !== undefined && limit === undefined;
  const result: GivenMembers = {
    ...whole,
    from,
    to,
    limit,
    keys: Array.isArray(keys) ? shortKeys(keys) : undefined,
    note: typeof note === "string" ? shortNote(note) : undefined,
    advance_checkpoint: mayAdvance ? whole["advance_checkpoint"] : undefined,
  };
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
}

/** What a person is to know of keys for which there was no room. */
function remarkOn(given: unknown, corrected: unknown): string {
  const [all, shown] = [given, corrected].map((keys) => (Array.isArray(keys) ? keys.length : 0));
  if (all === undefined || shown === undefined || shown >= all) return "";
  return `\nBelow are ${String(shown)} of the ${String(all)} keys.\n`;
}

function requestOf(
  sync: string,
  {
    members,
    span,
    timeZone,
  }: { readonly members: OwnMembers; readonly span: ReadSpan; readonly timeZone: string },
): BackfillRequest {
  const {
    keys,
    mode,
    limit,
    lanes,
    send,
    approve,
    note,
    advance_checkpoint: advanceCheckpoint,
  } = members;
  const { from, to } = span;
  return {
    sync,
    timeZone,
    from,
    to,
    keys,
    mode,
    limit,
    lanes,
    send,
    approve,
    note: note === "" ? undefined : note,
    advanceCheckpoint,
  };
}

/**
 * Reads what a person typed to start the workflow `backfill`, or says all that is wrong with it, with a corrected input to paste; short,
 * however long the input. Undefined and null are an empty box. Times without a zone are read in `time_zone`, else in the sync's own.
 */
export function readBackfillInput(
  raw: unknown,
  { syncs, now }: About,
): { readonly request: BackfillRequest } | { readonly problem: string } {
  const names = [...syncs.keys()];
  const { members: given, faults } = givenMembers(raw, names);
  const { name: sync, fault } = readSync(given["sync"], names);
  const { members, faults: ownFaults, wrong } = readMembers(given);
  // The zone that the corrected input is read in, so that what it says of times holds there.
  const meant = wrong.has("time_zone")
    ? repairedMember("time_zone", given["time_zone"])
    : undefined;
  const named = members.time_zone ?? (typeof meant === "string" ? zoneNamed(meant) : undefined);
  const timeZone = named ?? syncs.get(sync ?? "")?.timeZone ?? "UTC";
  const ask: SpanAsk = { timeZone, now };
  const span = readSpan(given, ask);
  const all: readonly Fault[] = [
    ...faults,
    ...(fault === undefined ? [] : [{ at: "sync", message: fault }]),
    ...span.faults,
    ...ownFaults,
    ...readTogether(given, members),
  ];
  if (sync === undefined) return { problem: problemOf(all, {}) };
  if (all.length === 0) return { request: requestOf(sync, { members, span, timeZone }) };
  const corrected = repaired(given, { sync, wrong, ask });
  const remark = remarkOn(given["keys"], corrected["keys"]);
  return { problem: problemOf(all, { corrected, remark }) };
}
