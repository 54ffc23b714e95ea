import type { Page, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles } from "./files.ts";
import { joinPages, sourcePage, type PlacedPage } from "./join-pages.ts";
import { assertSameFile, filesHash, headHash, openFile, stateOf, type OpenFile } from "./open.ts";
import { bytesOf } from "./parse/bytes.ts";
import { readLayout } from "./parse/header.ts";
import { PageReader, piecesBegin, type FilePage, type Place } from "./parse/pages.ts";
import type { CsvRow } from "./parse/row.ts";
import type { CsvPosition, Mark, RunPosition } from "./position.ts";
import { appendMarks, markKey, spansOf, type FileSpan } from "./spans.ts";

type ReadRequest = ConnectorRequest<CsvConfig> &
  Span<CsvPosition> & { readonly pageRowsMax: number; readonly limit?: number | undefined };

/** Reads the rows of all files in the order of their paths; see `Pull.read`. */
export async function* readCsv(request: ReadRequest): AsyncGenerator<Page<CsvRow, CsvPosition>> {
  const pages = placedPages(request);
  if (request.config.append_only) yield* joinPages(pages, request.pageRowsMax);
  else for await (const page of pages) yield sourcePage(page);
}

/** The pages of all files, one file after the other. */
async function* placedPages(request: ReadRequest): AsyncGenerator<PlacedPage> {
  const { config } = request;
  const files = await listFiles(config);
  const spans = spansOf(files, config, request);
  const marks = config.append_only ? new Map(appendMarks(config, request.from)) : undefined;
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  let before = passedBefore(request.from, spans);
  for (const span of spans) {
    await using file = await openFile(span.file, config.append_only);
    const pageRowsMax = Math.min(request.pageRowsMax, left);
    let offset = span.from?.offset ?? 0;
    for await (const page of readFile(file, span, { ...request, pageRowsMax })) {
      yield {
        place: file.place,
        page,
        bytes: page.offset - offset,
        position:
          marks === undefined
            ? runPositionOf(file, page, before)
            : { files: [...marks.set(markKey(config, file.place), markOf(file, page)).values()] },
      };
      ({ offset } = page);
      left -= page.lines.length + page.rejects.length;
      if (left <= 0) return;
    }
    before = behind(before, file);
  }
}

/** Reads the rows of a span's file. @throws {SourceChangedError} it is not the file that the span was made from. */
export async function* readFile(
  file: OpenFile,
  span: FileSpan,
  request: ConnectorRequest<CsvConfig> & { readonly pageRowsMax: number },
): AsyncGenerator<FilePage> {
  const { config, signal, log, pageRowsMax } = request;
  const { from, to } = span;
  if (from !== undefined) assertSameFile(file, from);
  if (to !== undefined) assertSameFile(file, to);
  const layout = await readLayout(file, config, { signal, mayName: false });
  if (layout === undefined) return;
  const start = from ?? { offset: layout.offset, line: layout.line };
  const reader = new PageReader({
    place: file.place,
    layout,
    start,
    pageRowsMax,
    // A row that reaches `to` ends there.
    leavesOpenRow: config.append_only && to === undefined,
  });
  const stretch = { from: piecesBegin(start.offset), to: to?.offset, signal };
  yield* reader.pages(bytesOf(file, stretch));
  if (reader.blankLines > 0) {
    log.info("blank lines were passed over", { file: file.place, lines: reader.blankLines });
  }
  if (reader.openQuoteLine > 0) {
    log.warn("a quoted field is still open, and the rows after it wait", {
      where: `${file.place}:${reader.openQuoteLine}`,
    });
  }
}

/** The files that a read passed before the current one. */
export type Passed = Pick<RunPosition, "before" | "first">;

/** The files passed before the beginning of a span. */
export function passedBefore(from: CsvPosition | undefined, [head]: readonly FileSpan[]): Passed {
  if (from !== undefined && "first" in from) return { before: from.before, first: from.first };
  return { before: undefined, first: head?.file.place ?? "" };
}

/** The files passed once this one is passed too. */
export function behind({ before, first }: Passed, file: OpenFile): Passed {
  return { before: filesHash(before, file), first };
}

/** The position of a place in a file that is read whole in each run. */
export function runPositionOf(file: OpenFile, place: Place, passed: Passed): RunPosition {
  return { ...markOf(file, place), ...stateOf(file), ...passed };
}

/** How far a page reaches in its file. */
function markOf(file: OpenFile, { offset, line, tail }: Place): Mark {
  return { file: file.place, offset, line, head: headHash(file, offset), tail };
}
