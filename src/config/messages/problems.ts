import { ConfigError } from "../../errors.ts";
import { configProblemsMax } from "../limits.ts";

/** Something wrong in a configuration file. */
export type Problem = {
  /** The place in the file's text, in UTF-16 units from 0. */
  readonly offset: number;
  /** The fault, without the place. */
  readonly message: string;
  /** The setting at fault: "syncs.accounts.mode". */
  readonly field?: string | undefined;
};

/** A file as problems show it. */
export type ShownFile = {
  /** The path as a person knows it. */
  readonly name: string;
  readonly text: string;
};

const shownCharsMax = 120;

/** One error for all problems of a file, in the order of their places, each with its line and a caret. */
export function configError(file: ShownFile, problems: readonly Problem[]): ConfigError {
  const sorted = unique(problems).toSorted((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, configProblemsMax).map((problem) => render(file, problem));
  const more = sorted.length - shown.length;
  if (more > 0) shown.push(`${file.name}: and ${String(more)} more problems`);
  return new ConfigError(shown.join("\n"), { field: sorted[0]?.field });
}

/** Removes repetitions: two syncs of one connection both find its mistakes. */
function unique(problems: readonly Problem[]): readonly Problem[] {
  return [
    ...new Map(
      problems.map((problem) => [`${String(problem.offset)} ${problem.message}`, problem]),
    ).values(),
  ];
}

/** The line that an offset is in, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function render(file: ShownFile, { offset, message }: Problem): string {
  const start = offset === 0 ? 0 : file.text.lastIndexOf("\n", offset - 1) + 1;
  const end = file.text.indexOf("\n", offset);
  const line = lineAt(file.text, offset);
  const column = offset - start;
  const source = file.text.slice(start, end < 0 ? undefined : end);
  const from = source.length > shownCharsMax ? Math.max(0, column - shownCharsMax / 2) : 0;
  // Control and direction marks would move the caret, or upset the reader's terminal.
  const shown = source
    .slice(from, from + shownCharsMax)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => " ".repeat(mark.length))
    .trimEnd();
  const place = `${file.name}:${String(line)}:${String(column + 1)}`;
  return `${place}: ${message}\n  ${shown}\n  ${" ".repeat(column - from)}^`;
}
