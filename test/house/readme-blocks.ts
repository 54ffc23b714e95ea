import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

const readme = readFileSync(`${root}/README.md`, "utf8");

/** Fenced blocks of the README, in order; the first is a picture. */
const [, demo = "", csv = "", yaml = "", preview = "", run = "", ...others] = [
  ...readme.matchAll(/^```\w+\n(.*?)^```$/gms),
].map(([, text = ""]) => text);

/** The examples of the README: two files, and the output of three commands. */
export const shown = { demo, csv, yaml, preview, run } as const;

/** The other fenced blocks. */
export const otherBlocks: readonly string[] = others;

/** The lines of indented blocks, without the notes after them. */
export function commandsIn(text: string): string[] {
  const prose = text.replaceAll(/^```\w+\n.*?^```$/gms, "");
  return [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = ""]) => line.replace(/ {2,}.*$/, ""));
}

/** Everything that the README tells its reader to type. */
export const commands: readonly string[] = commandsIn(readme);

/** The text under a heading of the README. */
export function section(heading: string): string {
  return readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
}

/** A text without the parts that differ in every run: durations, and the time and random part of names. */
function steady(text: string): string {
  return text
    .replaceAll(/\bin (?:\d+ min )?\d+(?:\.\d)? m?s\b/g, "in a moment")
    .replaceAll(/-\d{8}-\d{6}-[0-9a-f]{4,8}\b/g, "-then");
}

/** Printed while a run is under way, unless it ends before the query; the report says the same. */
const progress = /^sluice: heavyweight: /;

/** The lines of an example block that a program did not print in this order. `…` represents omitted lines. */
export function missing(block: string, printed: string): string[] {
  const lines = steady(printed).split("\n");
  let from = 0;
  return steady(block)
    .trimEnd()
    .split("\n")
    .filter((line) => {
      if (line.trim() === "…" || progress.test(line)) return false;
      const at = lines.indexOf(line, from);
      if (at >= 0) from = at + 1;
      return at < 0;
    });
}
