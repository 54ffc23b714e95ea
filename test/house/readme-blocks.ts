import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

const readme = readFileSync(`${root}/README.md`, "utf8");

/** Fenced blocks of the README, in order; the first is a picture. */
const [, demo = "", csv = "", yaml = "", preview = "", run = "", ...others] = [
  ...readme.matchAll(/^```\w+\n(.*?)^```$/gms),
].map(([, text = ""]) => text);

/** What the README shows: two files, and what three commands print. */
export const shown = { demo, csv, yaml, preview, run } as const;

/** Fenced blocks beyond these. */
export const otherBlocks: readonly string[] = others;

/** The lines of indented blocks, without what is said of them. */
export function commandsIn(text: string): string[] {
  const prose = text.replaceAll(/^```\w+\n.*?^```$/gms, "");
  return [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = ""]) => line.replace(/ {2,}.*$/, ""));
}

/** All that the README tells its reader to type. */
export const commands: readonly string[] = commandsIn(readme);

/** What is under a heading of the README. */
export function section(heading: string): string {
  return readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
}

/** A text without what no two runs share: how long they took, and the time and chance in their names. */
function steady(text: string): string {
  return text
    .replaceAll(/\bin (?:\d+ min )?\d+(?:\.\d)? m?s\b/g, "in a moment")
    .replaceAll(/-\d{8}-\d{6}-[0-9a-f]{4,8}\b/g, "-then");
}

/** Told while a run is under way, unless it ends before it is asked; the report says the same. */
const progress = /^sluice: heavyweight: /;

/** The lines of a shown block that a program did not print in this order. `…` stands for lines left out. */
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
