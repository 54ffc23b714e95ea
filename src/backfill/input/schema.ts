import { z } from "zod";

import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { checkData, type Checked } from "../../config/messages/mistakes.ts";
import { zoneNamed, zoneNames } from "../../config/schema/time-zone.ts";
import { lanesMax } from "../../limits.ts";
import { modes } from "../../state/contract/runs/runs.ts";
import { lanesDefault, namedKeyCharsMax, namedKeysMax, noteCharsMax } from "../limits.ts";
import { fitting, quoted } from "./problem.ts";
import { readSpanEnd, type SpanRequest, type SpanEnd } from "./span-end.ts";
import { timeText } from "./time.ts";

/** What is needed to read an input. */
export type InputRequest = SpanRequest & {
  /** The names of the syncs, at least one. */
  readonly syncs: readonly string[];
};

/** Characters of the names of syncs that a message lists, without commas (our choice). */
const syncNamesCharsMax = 150;

/** One of several words, in any case. */
function choice<const Options extends readonly [string, ...string[]]>(options: Options) {
  const words = options.map((option) => `"${option}"`).join(" or ");
  const said = ({ input }: { readonly input?: unknown }): string =>
    `must be ${words}${typeof input === "string" ? didYouMean(input, options) : ""}`;
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toLowerCase() : value),
    z.enum(options, { error: said }),
  );
}

/** A whole number from 1 to `max`, which may be in quotes. */
function count(message: string, max: number) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(message).min(1, message).max(max, message),
  );
}

const keysMessage =
  `must be a list of 1 to ${String(namedKeysMax)} keys, each a whole number or, in quotes, ` +
  `text of 1 to ${String(namedKeyCharsMax)} characters: ["A-1", 1002]; more than 15 digits need quotes`;
const noteMessage = `must be text of at most ${String(noteCharsMax)} characters, in quotes`;

/** One of `keys`. */
export const keySchema = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  z.string(keysMessage).min(1, keysMessage).max(namedKeyCharsMax, keysMessage),
);

/** The members that are checked independently of others and of the configuration. */
const shape = {
  /** Only the rows with these keys, in place of a span. */
  keys: z
    .array(keySchema, keysMessage)
    .min(1, keysMessage)
    .max(namedKeysMax, keysMessage)
    .transform((keys) => [...new Set(keys)])
    .optional(),
  mode: choice(modes).optional(),
  /** The most rows to read. */
  limit: count(
    "must be a whole number of rows from 1 on, such as 1000",
    Number.MAX_SAFE_INTEGER,
  ).optional(),
  /** The most lanes, from 1 to `lanesMax`. */
  lanes: count(`must be a whole number from 1 to ${lanesMax}`, lanesMax).default(lanesDefault),
  /** `changed` leaves out what the service is known to hold already. */
  send: choice(["changed", "all"]).default("changed"),
  /** `auto` continues without a person, however much it sends. */
  approve: choice(["ask", "auto"]).default("ask"),
  note: z
    .string(noteMessage)
    .max(noteCharsMax, noteMessage)
    .transform((note) => (note === "" ? undefined : note))
    .optional(),
  /** Lets the nightly run of a sync that has no checkpoint continue from `to`; does not go with `from`. */
  advance_checkpoint: z.boolean("must be true or false, without quotes").default(false),
  time_zone: z
    .string("must be the name of a time zone in quotes, such as Europe/Paris or UTC")
    .transform((name, context) => {
      const known = zoneNamed(name);
      if (known !== undefined) return known;
      context.addIssue(
        `no time zone is called ${quoted(name)}${didYouMean(name, zoneNames)}: write one such as Europe/Paris ` +
          "or UTC, or leave it out for the sync's own",
      );
      return z.NEVER;
    })
    .optional(),
};

/** Every member, in the order in which a person would write them. */
export const inputMembers: readonly string[] = ["sync", "from", "to", ...Object.keys(shape)];

/** The sync that a name means, in any case unless two differ only by case. */
export function syncOfInput(given: unknown, syncs: readonly string[]): string | undefined {
  if (typeof given !== "string") return undefined;
  const same = syncs.filter((name) => name.toLowerCase() === given.toLowerCase());
  return syncs.includes(given) ? given : same.length === 1 ? same[0] : undefined;
}

function syncSchema(syncs: readonly string[]) {
  return z.unknown().transform((given, context) => {
    const name = syncOfInput(given, syncs);
    if (name !== undefined) return name;
    const why =
      given === undefined
        ? "is missing: write which one,"
        : typeof given === "string"
          ? `no sync is called ${quoted(given)}${didYouMean(given, syncs)}:`
          : "must be the name of a sync in quotes:";
    const { shown, more } = fitting(syncs, syncNamesCharsMax);
    context.addIssue(`${why} the syncs are ${[...shown, ...more].join(", ")}`);
    return z.NEVER;
  });
}

function endSchema(member: "from" | "to", request: SpanRequest) {
  return z
    .unknown()
    .transform((value, context) => {
      const end = readSpanEnd(value, { ...request, member });
      if (typeof end !== "string") return end;
      context.addIssue(end);
      return z.NEVER;
    })
    .optional();
}

/**
 * The comparable form of an end: a time, or a numbered place, such as "line 48211". A wrong end has
 * neither.
 */
function comparable(end: SpanEnd | undefined, timeZone: string) {
  if (end !== undefined && "time" in end) {
    const { time } = end;
    return { unit: "time", value: BigInt(time.getTime()), text: timeText(time, timeZone) };
  }
  const place = end !== undefined && "place" in end ? end.place : "";
  const [text, unit = "", digits] = /^(?:(\S+) )?(\d+)$/.exec(place) ?? [];
  return digits === undefined ? undefined : { unit, value: BigInt(digits), text };
}

/** Checks the members on their own, then together, even if some of them are wrong. */
function inputSchema({ syncs, timeZone, now }: InputRequest) {
  const members = z.object({
    sync: syncSchema(syncs),
    from: endSchema("from", { timeZone, now }),
    to: endSchema("to", { timeZone, now }),
    ...shape,
  });
  const checked = members.superRefine(
    ({ from, to, keys, limit, advance_checkpoint: advances }, context) => {
      const fault = (member: string, message: string): void =>
        context.addIssue({ code: "custom", path: [member], message });
      if (from !== undefined && "time" in from && from.time >= now) {
        const present = timeText(now, timeZone);
        fault("from", `must be earlier than now, which is ${present}: ${from.text} is not`);
      }
      const [first, last] = [comparable(from, timeZone), comparable(to, timeZone)];
      if (first !== undefined && last?.unit === first.unit && last.value <= first.value) {
        const ends = `from is ${first.text}, to is ${last.text}`;
        fault("to", `must be later than from, because the span ends before it: ${ends}`);
      }
      const beside = Object.entries({ from, to, limit }).filter(([, value]) => value !== undefined);
      if (keys !== undefined && beside.length > 0) {
        const others = beside.map(([name]) => `"${name}"`).join(" and ");
        fault("keys", `does not go with ${others}: leave out "keys", or ${others}`);
      }
      // A wrong value is still here as it was given.
      if (!Object.is(advances, true)) return;
      const at = "advance_checkpoint";
      if (to === undefined || keys !== undefined) {
        fault(at, 'goes with "to" only, where the checkpoint moves: add "to", or leave it out');
      }
      // Rows beyond the limit would be before the checkpoint, and nobody would ever send them.
      if (limit !== undefined) {
        const why = "beyond which rows would be skipped for good";
        fault(at, `does not go with "limit", ${why}: leave out one of them`);
      }
    },
    { when: () => true },
  );
  return checked.transform(
    ({ time_zone: zone = timeZone, advance_checkpoint: advanceCheckpoint, ...request }) => ({
      ...request,
      /** The zone that times were read in: a name of the time zone database. */
      timeZone: zone,
      advanceCheckpoint,
    }),
  );
}

/** A backfill as a person requested it, with every default filled in. */
export type BackfillRequest = z.output<ReturnType<typeof inputSchema>>;

/** Returns a check that reads members under their proper names, and names every mistake. */
export function inputCheck(request: InputRequest): (given: object) => Checked<BackfillRequest> {
  const schema = inputSchema(request);
  return (given) => checkData(schema, given);
}
