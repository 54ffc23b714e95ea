import { closest, didYouMean } from "../../config/messages/did-you-mean.ts";
import { kindOf } from "../../config/messages/wording.ts";
import { membersOf } from "../../config/schema/members.ts";
import { quoted } from "./problem.ts";
import type { InputFault } from "./problem.ts";
import { inputMembers } from "./schema.ts";

/** Members as they were given, under their proper names. */
export type GivenMembers = Readonly<Record<string, unknown>>;

/**
 * The members of an input, as far as they can be recognised, and the faults of their names and of the text
 * around them.
 */
export type Given = { readonly members: GivenMembers; readonly faults: readonly InputFault[] };

/** Other words that people use for a member. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    from: "since start after begin",
    to: "until end before",
    keys: "ids",
    limit: "rows max",
    lanes: "workers",
    note: "comment",
    time_zone: "zone tz",
  }).flatMap(([name, others]) => others.split(" ").map((other) => [other, name])),
);

function memberMeant(name: string): string | undefined {
  if (inputMembers.includes(name)) return name;
  return otherNames.get(name.trim().toLowerCase()) ?? closest(name, inputMembers);
}

/** Gives the members their proper names; trims text, and drops members that are null. */
function named(raw: GivenMembers): Given {
  const given = Object.entries(raw).filter(([, value]) => value !== null && value !== undefined);
  const allMeant = given.map(([name]) => memberMeant(name));
  const members = new Map<string, unknown>();
  const faults: InputFault[] = [];
  for (const [index, [name, value]] of given.entries()) {
    const meant = allMeant[index];
    // If two names may mean the same member, neither is taken.
    const isSure = name === meant || allMeant.indexOf(meant) === allMeant.lastIndexOf(meant);
    if (meant !== undefined && isSure) {
      members.set(meant, typeof value === "string" ? value.trim() : value);
    }
    if (name === meant) continue;
    const way =
      meant === undefined
        ? `: leave it out, the members are ${inputMembers.join(", ")}`
        : ` (did you mean "${meant}"?)`;
    faults.push({ path: [], message: `unknown member ${quoted(name)}${way}` });
  }
  return { members: Object.fromEntries(members), faults };
}

/** The members of an object that is inside brackets, or is JSON inside quotes; none if there is no such object. */
function membersInside(raw: unknown): GivenMembers {
  if (Array.isArray(raw)) return raw.length === 1 ? membersOf(raw[0]) : {};
  try {
    return typeof raw === "string" ? membersOf(JSON.parse(raw)) : {};
  } catch {
    return {};
  }
}

const shape = "the input must be one JSON object in braces";

/**
 * Finds the members of an input. An input that is not an object is a fault, but still gets the likeliest of
 * the syncs.
 */
export function givenMembers(raw: unknown, syncNames: readonly string[]): Given {
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) return named(membersOf(raw));
  const inside = membersInside(raw);
  if (Object.keys(inside).length > 0) {
    const { members, faults } = named(inside);
    const [kind, marks] =
      typeof raw === "string" ? ["in quotes", "quotes"] : ["a list", "brackets"];
    const message = `${shape}, not ${kind}: remove the ${marks} around it`;
    return { members, faults: [{ path: [], message }, ...faults] };
  }
  const text = typeof raw === "string" ? raw : "";
  const words = text.toLowerCase().match(/[\w-]+/g) ?? [];
  const said = syncNames.find((name) => words.some((word) => word === name.toLowerCase()));
  const sync = said ?? closest(text, syncNames) ?? syncNames[0];
  const example = JSON.stringify({ sync });
  const meant = said === undefined ? didYouMean(text, syncNames) : "";
  const kind = typeof raw === "string" ? `the text ${quoted(raw)}${meant}` : kindOf(raw);
  const message =
    raw === undefined || raw === null
      ? `the input is empty: write which sync to backfill, ${example}`
      : `${shape}, not ${kind}: write ${example}`;
  return { members: { sync }, faults: [{ path: [], message }] };
}
