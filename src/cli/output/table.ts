/** How a table is shown. */
type TableShow = {
  /**
   * Columns of the terminal. Text that does not fit is cut; if no cut is enough, the cells of a row are shown below its
   * name. @default those of stdout; without a terminal nothing is cut
   */
  readonly width?: number | undefined;
  /** Styles the cells of a column, by its heading. */
  readonly style?: Readonly<Record<string, (cell: string) => string>>;
};

const gap = "  ";
/** How many characters stay of a text column that must make room. */
const cutCharsMin = 8;

/** The columns of the terminal at stdout; undefined if stdout is not a terminal. */
function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}

function longest(cells: readonly string[]): number {
  return Math.max(0, ...cells.map((cell) => cell.length));
}

/** How far a column can shrink. Ids, which come first, stay whole, and so do columns with figures, and short texts. */
function leastOf(cells: readonly string[], column: number): number {
  const [heading = "", ...body] = cells;
  const whole = longest(body);
  if (column === 0) return Math.max(whole, heading.length);
  // Half of "read 12,000", or of a time, reads like another one.
  const hasFigures = body.some((cell) => /\d/.test(cell));
  return hasFigures ? Math.max(whole, Math.min(heading.length, cutCharsMin)) : cutCharsMin;
}

/** Characters of a line with columns of these widths. */
function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
}

/** Widths that fit together, as far as columns can be cut: the column that can shrink most shrinks first. */
function fitted(columns: readonly (readonly string[])[], width: number): number[] {
  const widths = columns.map(longest);
  const least = columns.map(leastOf);
  const spare = (at: number): number => (widths[at] ?? 0) - (least[at] ?? 0);
  for (let over = widthOf(widths) - width; over > 0; over--) {
    const most = widths.keys().reduce((best, at) => (spare(at) >= spare(best) ? at : best), 0);
    if (spare(most) <= 0) break;
    widths[most] = (widths[most] ?? 0) - 1;
  }
  return widths;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function columnsOf(rows: readonly (readonly string[])[]): string[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
}

/** Words side by side, on as many lines as the width requires. */
function wrapped(
  words: readonly { readonly plain: string; readonly shown: string }[],
  width: number,
): string[] {
  const lines: string[] = [];
  let room = 0;
  for (const { plain, shown } of words) {
    room -= gap.length + plain.length;
    if (lines.length > 0 && room >= 0) lines.push(`${lines.pop() ?? ""}${gap}${shown}`);
    else {
      lines.push(`${gap}${shown}`);
      room = width - gap.length - plain.length;
    }
  }
  return lines;
}

/** Rows as their names, and below each its cells, with their headings. */
function stacked(
  rows: readonly (readonly string[])[],
  { width, style = {} }: TableShow & { readonly width: number },
): string {
  const [[, ...headings] = [], ...body] = rows;
  const lines = body.flatMap(([name = "", ...cells]) => {
    const words = headings.flatMap((heading, at) => {
      const cell = cells[at] ?? "";
      const shown = `${heading} ${style[heading]?.(cell) ?? cell}`;
      return cell === "" ? [] : [{ plain: `${heading} ${cell}`, shown }];
    });
    return [name, ...wrapped(words, width)];
  });
  return lines.join("\n");
}

/** Rows in aligned columns; the first row is the heading, the first column names the row. */
export function table(
  rows: readonly (readonly string[])[],
  { width = terminalWidth(), style = {} }: TableShow = {},
): string {
  const columns = columnsOf(rows);
  const widths = width === undefined ? columns.map(longest) : fitted(columns, width);
  if (width !== undefined && widthOf(widths) > width) return stacked(rows, { width, style });
  const [heading = []] = rows;
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, column) => {
      const size = widths[column] ?? 0;
      const shown = cut(cell, size);
      const dress = at === 0 ? undefined : style[heading[column] ?? ""];
      const isLast = column === row.length - 1;
      return `${dress?.(shown) ?? shown}${isLast ? "" : " ".repeat(size - shown.length)}`;
    });
    return cells.join(gap).trimEnd();
  });
  return lines.join("\n");
}

/** Whether a table of these rows needs no cut. */
function fits(rows: readonly (readonly string[])[], width: number): boolean {
  return widthOf(columnsOf(rows).map(longest)) <= width;
}

/**
 * A table whose last column says what to do. If it does not fit, that column is shown below, on a line each, because
 * half of it says nothing.
 */
export function advisingTable(rows: readonly (readonly string[])[], show: TableShow = {}): string {
  const { width = terminalWidth() ?? Infinity } = show;
  if (fits(rows, width)) return table(rows, show);
  const advice = rows.slice(1).flatMap((row) => {
    const text = row.at(-1) ?? "";
    return text === "" ? [] : [`${row[0]}: ${text}`];
  });
  return [
    table(
      rows.map((row) => row.slice(0, -1)),
      show,
    ),
    ...advice,
  ].join("\n");
}
