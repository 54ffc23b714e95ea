import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

/** Formats a table's cells as Markdown, laid out as oxfmt does. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

/** The minimum, median and maximum of some figures. */
export function spread(figures: readonly number[]): {
  readonly min: number;
  readonly median: number;
  readonly max: number;
} {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2,
    max: at(sorted.length - 1),
  };
}

/** The conditions under which a table's figures were taken; call it when the measuring begins. */
export function conditions(command: string): string {
  const [minute = 0] = loadavg();
  const date = new Date().toISOString().slice(0, 10);
  return (
    `${date}, \`${command}\`, ${availableParallelism()} cores, Node ${process.version}, ` +
    `load average ${minute.toFixed(1)} before it began.`
  );
}

/** A page of `docs/` that contains tables written by programs. */
export type Page =
  | "operations"
  | "proof/fast-path"
  | "proof/growth"
  | "proof/kit"
  | "proof/measurements"
  | "proof/mutants"
  | "proof/soak"
  | "proof/tests";

/** Puts text between the markers of that name in a page of docs. @throws if they are missing. */
export async function publish(
  name: string,
  text: string,
  page: Page = "proof/measurements",
): Promise<void> {
  const path = fileURLToPath(new URL(`../docs/${page}.md`, import.meta.url));
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = await readFile(path, "utf8");
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/${page}.md has no markers for ${name}`);
  const after = `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`;
  await writeFile(path, after);
}

/** Reports progress. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
