import { requestOf } from "../../backfill/input/read-input.ts";
import type { Config } from "../../config/config.ts";
import { membersOf } from "../../config/schema/members.ts";
import { ConfigError } from "../../errors.ts";
import type { RunRequest } from "../../state/contract/runs/runs.ts";

/** The options of a backfill on the command line, besides its sync. */
export type AskedOptions = {
  readonly from?: string;
  readonly to?: string;
  readonly key?: readonly string[];
  readonly mode?: RunRequest["mode"];
  readonly limit?: number;
  readonly lanes?: number;
  readonly send?: "all" | "changed";
  readonly reason?: string;
  readonly timeZone?: string;
  readonly advanceCheckpoint?: boolean;
};

/** The options that are members of the workflow's input, in the order shown to people, with the members' names. */
const memberOptions = [
  ["from", "from"],
  ["to", "to"],
  ["key", "keys"],
  ["mode", "mode"],
  ["limit", "limit"],
  ["lanes", "lanes"],
  ["send", "send"],
  ["reason", "note"],
  ["timeZone", "time_zone"],
  ["advanceCheckpoint", "advance_checkpoint"],
] as const satisfies readonly (readonly [keyof AskedOptions, string])[];

/** The input of the workflow `backfill`, without the members that were not given. */
export type BackfillInput = {
  readonly sync: string;
  readonly approve: "ask" | "auto";
  readonly [member: string]: unknown;
};

/** The names of those options. */
export const askedNames: readonly (keyof AskedOptions)[] = memberOptions.map(([name]) => name);

/** Whether anything was asked for besides the sync. */
export function isMoreAsked(options: AskedOptions): boolean {
  return askedNames.some((name) => options[name] !== undefined);
}

/** A word, quoted for a shell where it must be. */
function shellWord(text: string): string {
  return /^[\w.,:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command line for an input. */
export function commandOf(input: unknown): string {
  const given = membersOf(input);
  const options = memberOptions.flatMap(([, member]): readonly string[] => {
    const value = given[member];
    const option = optionOf(member);
    if (value === undefined || value === false) return [];
    if (value === true) return [option];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.map((one) => `${option} ${shellWord(plainOf(one))}`);
  });
  return ["sluice backfill", shellWord(plainOf(given["sync"])), ...options].join(" ");
}

/** The option of a member: `--time-zone`. */
function optionOf(member: string): string {
  const name = memberOptions.find(([, named]) => named === member)?.[0] ?? member;
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Rewrites a text that is about a form's members to name options instead: `leave out --from`, `--lanes 1`. */
export function inOptions(text: string): string {
  const members: readonly string[] = memberOptions.map(([, member]) => member);
  // After these words the text says what to do about a member; elsewhere a value or a column may have that name.
  const about = /(?<=\b(?:add|and|for|it to|leave out|named in|or|see|with) )"(\w+)"(:(?= \d))?/g;
  return text.replaceAll(about, (said, member: string) =>
    members.includes(member) ? optionOf(member) : said,
  );
}

/** Text as it is; a number as it is written. */
function plainOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The text around the problems of an input, which is for somebody who pastes JSON into a form. */
const frame = /^[^\n]*\n([^]*?)(?:\nTry:\n(\{[^\n]*\}))?$/;

/** The error for wrong options, with problems that name options. */
function wrongOptions(problem: string): ConfigError {
  const [, problems = problem, corrected] = frame.exec(problem) ?? [];
  const text = inOptions(problems).replaceAll(
    /^ {2}→ at (\w+)/gm,
    (_, member: string) => `  → at ${optionOf(member)}`,
  );
  const hint = corrected === undefined ? undefined : `such as: ${commandOf(JSON.parse(corrected))}`;
  return new ConfigError(`the options are wrong:\n${text}`, { hint });
}

/**
 * The input that the options of a command make, read as the workflow will read it, so that nothing is started for a
 * wrong one. `now` is by the clock of the store, as it will be for the workflow.
 * @throws {ConfigError} with every problem, and a command line that has none.
 */
export function readOptions(
  config: Config,
  sync: string,
  { now, ...options }: AskedOptions & { readonly yes?: boolean; readonly now: Date },
): BackfillInput {
  const asked = Object.fromEntries(
    memberOptions.flatMap(([name, member]) =>
      options[name] === undefined ? [] : [[member, options[name]]],
    ),
  );
  const input: BackfillInput = { sync, ...asked, approve: options.yes === true ? "auto" : "ask" };
  const read = requestOf({ config }, input, now);
  if ("problem" in read) throw wrongOptions(read.problem);
  return input;
}
