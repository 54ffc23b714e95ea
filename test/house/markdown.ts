/** The code in a Markdown text: spans, fenced blocks and indented lines. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`|^ {4}(\S.*)$/gm)].map(
    ([, fenced, span, indented]) => fenced ?? span ?? indented ?? "",
  );
}

/** The cells of the table rows below the heading row that begins with `heading`. */
export function tableUnder(text: string, heading: string): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex(
    (line) => line.startsWith("| ") && line.slice(2).startsWith(heading),
  );
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The code span at the start of a cell. */
export function spanOf(cell = ""): string | undefined {
  return /^`([^`]+)`/.exec(cell)?.[1];
}
