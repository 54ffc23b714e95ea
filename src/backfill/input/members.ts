import { z } from "zod";

import { closest, didYouMean } from "../../config/did-you-mean.ts";
import {
  lanesDefault,
  namedKeyCharsMax,
  namedKeysMax,
  noteCharsMax,
  slipCharsMax,
} from "../../limits.ts";
import { modes } from "../../state/runs.ts";
import type { Fault } from "./faults.ts";
import { quoted } from "./faults.ts";
import { zoneNamed } from "./time.ts";

/** Characters of JSON that the keys, or the note, of a corrected input take (our choice). */
const repairedCharsMax = 600;

const zones = [...Intl.supportedValuesOf("timeZone"), "UTC"];

const keysMessage = `must be a list of 1 to ${String(namedKeysMax)} keys, each a whole number or, in quotes, text of 1 to ${String(namedKeyCharsMax)} characters: ["A-1", 1002]; more than 15 digits need quotes`;

function lowered(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** One of several words, in any case. */
function choice<const Options extends readonly [string, ...string[]]>(options: Options) {
  const words = options.map((option) => `"${option}"`).join(" or ");
  const said = ({ input }: { readonly input?: unknown }): string =>
    `must be ${words}${typeof input === "string" ? didYouMean(input.slice(0, slipCharsMax), options) : ""}`;
  return z.preprocess(lowered, z.enum(options, { error: said }));
}

function unquoted(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** A whole number from 1 on, which may stand in quotes. */
function count(message: string, max: number) {
  return z.preprocess(unquoted, z.int(message).min(1, message).max(max, message));
}

function asText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

const key = z.preprocess(
  asText,
  z.string(keysMessage).min(1, keysMessage).max(namedKeyCharsMax, keysMessage),
);

const noteMessage = `must be text of at most ${String(noteCharsMax)} characters, in quotes`;

const zone = z
  .string("must be the name of a time zone in quotes, such as Europe/Paris or UTC")
  .transform((written, context) => {
    const named = zoneNamed(written);
    if (named !== undefined) return named;
    const meant = didYouMean(written.slice(0, slipCharsMax), zones);
    context.addIssue(
      `no time zone is called ${quoted(written)}${meant}: write one such as Europe/Paris or UTC, or leave it out for the sync's own`,
    );
    return z.NEVER;
  });

const shape = {
  keys: z
    .array(key, keysMessage)
    .min(1, keysMessage)
    .max(namedKeysMax, keysMessage)
    .transform((keys) => [...new Set(keys)])
    .optional(),
  mode: choice(modes).optional(),
  limit: count(
    "must be a whole number of rows from 1 on, such as 1000",
    Number.MAX_SAFE_INTEGER,
  ).optional(),
  lanes: count(`must be a whole number from 1 to ${String(lanesMax)}`, lanesMax).default(
    lanesDefault,
  ),
  send: choice(["changed", "all"]).default("changed"),
  approve: choice(["ask", "auto"]).default("ask"),
  note: z.string(noteMessage).max(noteCharsMax, noteMessage).optional(),
  advance_checkpoint: z.boolean("must be true or false, without quotes").default(false),
  time_zone: zone.optional(),
};

/** Every one is optional and none looks at another, so that those that are right stay so without the others. */
const membersSchema = z.object(shape);

/** The members that mean something by themselves, with their defaults. */
export type OwnMembers = z.output<typeof membersSchema>;

/** Members as they were given, under their right names. */
export type GivenMembers = Readonly<Record<string, unknown>>;

/** Every member, in the order in which a person would write them. */
export const memberNames: readonly string[] = ["sync", "from", "to", ...Object.keys(shape)];

/** Reads the members that mean something by themselves; a wrong one is read as if it were not there. */
export function readMembers(given: GivenMembers): {
  readonly members: OwnMembers;
  readonly faults: readonly Fault[];
  /** The names of the wrong ones. */
  readonly wrong: ReadonlySet<string>;
} {
  const { success, data, error } = membersSchema.safeParse(given);
  if (success) return { members: data, faults: [], wrong: new Set() };
  const faults = new Map<string, Fault>();
  for (const { path, message } of error.issues) {
    const [name = "", index] = path.map(String);
    // One of a thousand wrong keys tells enough.
    if (faults.has(name)) continue;
    faults.set(name, { at: index === undefined ? name : `${name}[${index}]`, message });
  }
  const right = Object.entries(given).filter(([name]) => !faults.has(name));
  return {
    members: membersSchema.parse(Object.fromEntries(right)),
    faults: [...faults.values()],
    wrong: new Set(faults.keys()),
  };
}

/** What is left of a list of keys, or is meant by a text of them. */
function repairedKeys(value: unknown): readonly unknown[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  // Whatever is wrong, all of a long list is never needed.
  const items = listed
    .slice(0, namedKeysMax)
    .flatMap((item) => (listed === value || typeof item !== "string" ? item : splitKeys(item)));
  const right = items.filter((item) => key.safeParse(item).success);
  // Without any key a backfill would send everything.
  return right.length === 0 ? ["A-1", "A-2"] : right;
}

function splitKeys(text: string): readonly string[] {
  return text
    .slice(0, repairedCharsMax)
    .split(",")
    .map((part) => part.trim());
}

/** A right value in place of a wrong one, the one that does least; undefined leaves the member out. */
export function repairedMember(name: string, value: unknown): unknown {
  const text = typeof value === "string" ? value.slice(0, slipCharsMax) : "";
  switch (name) {
    case "keys":
      return repairedKeys(value);
    case "mode":
      return closest(text, modes) ?? "auto";
    case "limit":
      return 1_000;
    case "lanes":
      return lanesDefault;
    case "send":
      return "changed";
    case "approve":
      return "ask";
    case "note":
      return text === "" ? undefined : text;
    case "time_zone":
      return closest(text, zones);
    default:
      return undefined;
  }
}

/** As many of the keys as there is room to show. */
export function shortKeys(keys: readonly unknown[]): readonly unknown[] {
  let chars = 0;
  const shown = keys.filter((one) => {
    chars += JSON.stringify(one).length + 1;
    return chars <= repairedCharsMax;
  });
  return shown.length === 0 ? ["A-1", "A-2"] : shown;
}

/** As much of a note as there is room to show. */
export function shortNote(note: string): string {
  // A character may take six of JSON.
  const isShort = JSON.stringify(note).length <= repairedCharsMax;
  return isShort ? note : note.slice(0, (repairedCharsMax - 2) / 6);
}
