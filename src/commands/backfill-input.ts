import { requestOf } from "../../activities/plan-backfill.ts";
import type { Config } from "../config/config.ts";
import { membersOf } from "../config/members.ts";
import { ConfigError } from "../errors.ts";
import type { RunRequest } from "../state/runs.ts";

/** What a backfill is asked for on the command line, beyond its sync. */
export type AskedOptions = {
  readonly from?: string;
  readonly to?: string;
  readonly keys?: readonly string[];
  readonly mode?: RunRequest["mode"];
  readonly limit?: number;
  readonly lanes?: number;
  readonly send?: "all" | "changed";
  readonly note?: string;
};

/** The options that are members of the workflow's input, in the order of a person. */
const memberOptions = ["from", "to", "keys", "mode", "limit", "lanes", "send", "note"] as const;

/** The input of the workflow `backfill`, without what was not asked for. */
export type BackfillInput = AskedOptions & {
  readonly sync: string;
  readonly approve: "ask" | "auto";
};

/** Whether more was asked for than the sync itself. */
export function isMoreAsked(options: AskedOptions): boolean {
  return memberOptions.some((name) => options[name] !== undefined);
}

/** A word as a shell takes it whole. */
function shellWord(text: string): string {
  return /^[\w.,:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command line that asks for an input. */
export function commandOf(input: unknown): string {
  const given = membersOf(input);
  const options = memberOptions.flatMap((name): readonly string[] => {
    const value = given[name];
    if (value === undefined) return [];
    const texts = (Array.isArray(value) ? value : [value]).map((one) => plainOf(one));
    return [`--${name} ${shellWord(texts.join(","))}`];
  });
  return ["sluice backfill", shellWord(plainOf(given["sync"])), ...options].join(" ");
}

/** Text as it is, and a number as it is written. */
function plainOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What stands around the problems of an input, where somebody pastes JSON into a form. */
const frame = /^[^\n]*\n([^]*?)(?:\nTry:\n(\{[^\n]*\}))?$/;

/** The problems of options, as one who typed a command mends them. */
function wrongOptions(problem: string): ConfigError {
  const [, problems = problem, corrected] = frame.exec(problem) ?? [];
  const text = problems.replaceAll(/^ {2}→ at (\w+)/gm, "  → at --$1");
  const hint = corrected === undefined ? undefined : `such as: ${commandOf(JSON.parse(corrected))}`;
  return new ConfigError(`the options are wrong:\n${text}`, { hint });
}

/**
 * The input that the options of a command stand for, read as the workflow will read it, so that nothing is started for one that is wrong.
 * @throws {ConfigError} with every problem, and a command line that has none.
 */
export function readOptions(
  config: Config,
  sync: string,
  options: AskedOptions & { readonly yes?: boolean },
): BackfillInput {
  const asked: AskedOptions = Object.fromEntries(
    memberOptions.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  const input = { sync, ...asked, approve: options.yes === true ? "auto" : "ask" } as const;
  const read = requestOf({ config }, input, new Date());
  if ("problem" in read) throw wrongOptions(read.problem);
  return input;
}
