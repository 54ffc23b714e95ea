import { closest } from "../../config/messages/did-you-mean.ts";
import { modes } from "../../state/contract/runs/runs.ts";
import { lanesDefault, noteCharsMax } from "../limits.ts";
import type { GivenMembers } from "./given.ts";
import { fitting } from "./problem.ts";
import { keySchema, inputMembers, type inputCheck } from "./schema.ts";
import { inDays, readSpanEnd, type SpanRequest } from "./span-end.ts";
import { midnightBefore } from "./time.ts";

/** Characters of JSON for the keys, or the note, of a corrected input (our choice). */
const repairedCharsMax = 600;

/** Days of a span whose beginning could not be read. */
const exampleDays = 30;

/** The valid keys, also from a comma-separated text, as many as there is room to show. */
function shownKeys(given: unknown): readonly unknown[] {
  const text = typeof given === "string" ? given.split(",").map((key) => key.trim()) : [given];
  const keys: readonly unknown[] = Array.isArray(given) ? given : text;
  const right = keys.filter((key) => keySchema.safeParse(key).success);
  const { shown } = fitting(
    right.map((key) => `${JSON.stringify(key)},`),
    repairedCharsMax,
  );
  // Without any key a backfill would send everything.
  return shown.length === 0 ? ["A-1", "A-2"] : right.slice(0, shown.length);
}

/** As much of a note as there is room to show. */
function shownNote(note: unknown): string | undefined {
  if (typeof note !== "string") return undefined;
  const isShown = note.length <= noteCharsMax && JSON.stringify(note).length <= repairedCharsMax;
  if (isShown) return note;
  // A character may take six characters of JSON.
  const cut = note.slice(0, (repairedCharsMax - 2) / 6);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Replacements for `from`, the likeliest first. */
function insteadOfFrom({ from, to }: GivenMembers, request: SpanRequest): readonly unknown[] {
  const meant = inDays(from) ?? from;
  const end = to === undefined ? "" : readSpanEnd(to, { ...request, member: "to" });
  const last = `last ${String(exampleDays)} days`;
  if (typeof end === "string") return [meant, last];
  // Next to a place, a time would mean little.
  if ("place" in end) return [meant];
  const midnight = midnightBefore(end.time, { days: exampleDays, timeZone: request.timeZone });
  return [meant, last, new Date(midnight).toISOString().slice(0, 10)];
}

/**
 * Candidate spans, each with more changed than the one before: as given, with the ends swapped, with another `from`,
 * with `to` now. An end that was not given stays out.
 */
function spansInstead(given: GivenMembers, request: SpanRequest): readonly GivenMembers[] {
  const { from, to } = given;
  const froms = from === undefined ? [from] : [from, ...insteadOfFrom(given, request), undefined];
  if (to === undefined) return froms.map((start) => ({ from: start }));
  return [
    { from, to },
    { from: to, to: from },
    ...[to, "now"].flatMap((end) => froms.map((start) => ({ from: start, to: end }))),
  ];
}

/**
 * The members with as few changes as make them valid, in the order in which a person writes them. A wrong member is
 * replaced by the value with the least effect, or left out.
 */
export function correctedInput(
  given: GivenMembers,
  wrong: ReadonlySet<unknown>,
  request: SpanRequest & {
    readonly check: ReturnType<typeof inputCheck>;
    /** Members that are known, whatever the input was. */
    readonly meant: GivenMembers;
  },
): GivenMembers {
  const { keys, mode, note } = given;
  const instead: GivenMembers = {
    mode: (typeof mode === "string" ? closest(mode, modes) : undefined) ?? "auto",
    limit: 1_000,
    lanes: lanesDefault,
    send: "changed",
    approve: "ask",
  };
  const own: GivenMembers = {
    ...Object.fromEntries(
      inputMembers.map((name) => [name, wrong.has(name) ? instead[name] : given[name]]),
    ),
    ...request.meant,
    keys: keys === undefined ? undefined : shownKeys(keys),
    note: shownNote(note),
  };
  const spans = keys === undefined ? spansInstead(given, request) : [{}];
  const inputs = spans.map(({ from, to }): GivenMembers => ({
    ...own,
    from,
    to,
    limit: keys === undefined ? own["limit"] : undefined,
    advance_checkpoint: to === undefined ? undefined : own["advance_checkpoint"],
  }));
  // The last span, from the beginning until now, is always valid.
  return inputs.find((input) => request.check(input).mistakes.length === 0) ?? request.meant;
}
