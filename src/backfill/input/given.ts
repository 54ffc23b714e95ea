import { closest, didYouMean } from "../../config/did-you-mean.ts";
import { membersOf } from "../../config/members.ts";
import { kindOf } from "../../config/wording.ts";
import { slipCharsMax } from "../../limits.ts";
import { quoted } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { memberNames } from "./members.ts";
import type { GivenMembers } from "./members.ts";

/** What an input is made of, as far as it can be told. */
export type Given = {
  /** Under their right names, text without spaces around it; without those that are null. */
  readonly members: GivenMembers;
  readonly faults: readonly Fault[];
};

/** Characters of JSON in a text that are looked into (our choice). */
const jsonCharsMax = 100_000;

/** What others call a member. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["since", "from"],
  ["start", "from"],
  ["after", "from"],
  ["begin", "from"],
  ["until", "to"],
  ["end", "to"],
  ["before", "to"],
  ["ids", "keys"],
  ["rows", "limit"],
  ["max", "limit"],
  ["workers", "lanes"],
  ["comment", "note"],
  ["zone", "time_zone"],
  ["tz", "time_zone"],
]);

function memberMeant(name: string): string | undefined {
  const start = name.trim().slice(0, slipCharsMax + 1);
  return otherNames.get(start.toLowerCase()) ?? closest(start, memberNames);
}

/** Tells the members that there are from those that are misspelt or unknown. */
function namedMembers(raw: GivenMembers): Given {
  const given = Object.entries(raw)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, typeof value === "string" ? value.trim() : value] as const);
  const known = given.filter(([name]) => memberNames.includes(name));
  const unknown = given
    .filter(([name]) => !memberNames.includes(name))
    .map(([name, value]) => ({ name, value, meant: memberMeant(name) }));
  const taken = new Map<string, number>(known.map(([name]) => [name, 1]));
  for (const { meant } of unknown) {
    if (meant !== undefined) taken.set(meant, (taken.get(meant) ?? 0) + 1);
  }
  // Of two that may be meant by one name, nobody knows which.
  const repaired = unknown.flatMap(({ meant, value }) =>
    meant !== undefined && taken.get(meant) === 1 ? [[meant, value] as const] : [],
  );
  const faults = unknown.map(({ name, meant }): Fault => {
    const way =
      meant === undefined
        ? `: leave it out, the members are ${memberNames.join(", ")}`
        : ` (did you mean "${meant}"?)`;
    return { message: `unknown member ${quoted(name)}${way}` };
  });
  return { members: Object.fromEntries([...known, ...repaired]), faults };
}

/** The object that a text holds as JSON, as it is after a paste with quotes around it. */
function objectIn(text: string): GivenMembers | undefined {
  if (!/^\s*\{/.test(text) || text.length > jsonCharsMax) return undefined;
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A wrong input, and the members of what may have been meant. */
function instead(message: string, meant: GivenMembers): Given {
  const { members, faults } = namedMembers(meant);
  return { members, faults: [{ message }, ...faults] };
}

const shape = "the input must be one JSON object in braces";

/** Finds the members of an input. One that is no object has its own sentence, and names a sync all the same. */
export function givenMembers(raw: unknown, syncNames: readonly string[]): Given {
  const [first] = syncNames;
  const example = JSON.stringify({ sync: first ?? "accounts" });
  if (raw === undefined || raw === null) {
    return instead(`the input is empty: write which sync to backfill, ${example}`, { sync: first });
  }
  if (Array.isArray(raw)) {
    const items: readonly unknown[] = raw;
    const inner = items.length === 1 ? membersOf(items[0]) : {};
    const message = `${shape}, not a list: write ${example}, without brackets around it`;
    return instead(message, Object.keys(inner).length === 0 ? { sync: first } : inner);
  }
  if (typeof raw === "string") return textGiven(raw, syncNames);
  if (typeof raw !== "object") {
    return instead(`${shape}, not ${kindOf(raw)}: write ${example}`, { sync: first });
  }
  return namedMembers(membersOf(raw));
}

function textGiven(raw: string, syncNames: readonly string[]): Given {
  const inner = objectIn(raw);
  if (inner !== undefined)
    return instead(`${shape}, not in quotes: remove the quotes around it`, inner);
  const name = raw.slice(0, slipCharsMax + 1).trim();
  const words: readonly string[] = name.toLowerCase().match(/[\w-]+/g) ?? [];
  const said = syncNames.find((one) => words.includes(one));
  const sync = said ?? closest(name, syncNames) ?? syncNames[0];
  const way = JSON.stringify({ sync: sync ?? "accounts" });
  const meant = said === undefined ? didYouMean(name, syncNames) : "";
  return instead(`${shape}, not the text ${quoted(raw)}${meant}: write ${way}`, { sync });
}
