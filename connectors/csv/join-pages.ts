import type { Page, Reject } from "../contract/connector.ts";
import { csvPageBytesMax } from "./limits.ts";
import type { FilePage } from "./parse/pages.ts";
import type { CsvRow } from "./parse/row.ts";
import type { CsvPosition } from "./position.ts";

/** A page of a file. */
export type PlacedPage = {
  /** The file's place. */
  readonly place: string;
  readonly page: FilePage;
  /** Bytes of the file that it spans. */
  readonly bytes: number;
  readonly position: CsvPosition;
};

/** The page of a file as a source yields it. */
export function sourcePage({ place, page, position }: PlacedPage): Page<CsvRow, CsvPosition> {
  const { cells, rejects, lines } = page;
  return {
    get rows() {
      return page.rows;
    },
    cells,
    rejects,
    where: (index) => `${place}:${lines[index]}`,
    position,
  };
}

/** Pages that are to become one. */
class HeldPages {
  #held: Omit<PlacedPage, "position">[] = [];
  /** The last page, whose position counts; nobody asks for those before it. */
  #last: PlacedPage | undefined;
  #rows = 0;
  #bytes = 0;

  /** Whether they have so many rows and rejects, or bytes, that `next` would be too much. */
  isFullBefore(next: PlacedPage, pageRowsMax: number): boolean {
    return this.#rows + rowsOf(next) > pageRowsMax || this.#bytes + next.bytes > csvPageBytesMax;
  }

  add(placed: PlacedPage): number {
    const { place, page, bytes } = placed;
    this.#held.push({ place, page, bytes });
    this.#last = placed;
    this.#bytes += bytes;
    return (this.#rows += rowsOf(placed));
  }

  /** Yields the held pages as one, and holds none afterwards. */
  *take(): Generator<Page<CsvRow, CsvPosition>> {
    if (this.#last === undefined) return;
    yield this.#held.length === 1 ? sourcePage(this.#last) : sourcePageOf(this.#held, this.#last);
    [this.#held, this.#last, this.#rows, this.#bytes] = [[], undefined, 0, 0];
  }
}

function rowsOf({ page }: PlacedPage): number {
  return page.lines.length + page.rejects.length;
}

function sourcePageOf(
  pages: readonly Omit<PlacedPage, "position">[],
  { position }: PlacedPage,
): Page<CsvRow, CsvPosition> {
  const rejects: Reject[] = [];
  let before = 0;
  for (const { page } of pages) {
    for (const { rowsBefore = 0, ...reject } of page.rejects) {
      rejects.push({ ...reject, rowsBefore: before + rowsBefore });
    }
    before += page.lines.length;
  }
  const places = pages.flatMap(({ place, page }) => page.lines.map((line) => `${place}:${line}`));
  return {
    rows: pages.flatMap(({ page }) => page.rows),
    rejects,
    where: (index) => places[index] ?? "",
    position,
  };
}

/**
 * Joins pages of small files, up to the size of one page. Each position of an append-only source names all its files:
 * one position for each of thousands of files would not fit into memory.
 */
export async function* joinPages(
  pages: AsyncIterable<PlacedPage>,
  pageRowsMax: number,
): AsyncGenerator<Page<CsvRow, CsvPosition>> {
  const held = new HeldPages();
  for await (const page of pages) {
    if (held.isFullBefore(page, pageRowsMax)) yield* held.take();
    if (held.add(page) >= pageRowsMax) yield* held.take();
  }
  yield* held.take();
}
