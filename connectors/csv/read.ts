import type { Ask, Page, Span } from "../connector.ts";
import { bytesOf } from "./bytes.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles } from "./files.ts";
import { readLayout } from "./header.ts";
import { assertSameFile, headHash, openFile, stateOf, type OpenFile } from "./open.ts";
import { PageReader, piecesBegin, type FilePage } from "./pages.ts";
import type { CsvPosition, Mark } from "./position.ts";
import type { CsvRow } from "./row.ts";
import { appendMarks, spansOf, type FileSpan } from "./spans.ts";

type ReadAsk = Ask<CsvConfig> &
  Span<CsvPosition> & { readonly pageRowsMax: number; readonly limit?: number | undefined };

/** Reads the rows of all files in the order of their paths; see `Pull.read`. */
export async function* readCsv(ask: ReadAsk): AsyncGenerator<Page<CsvRow, CsvPosition>> {
  const { config } = ask;
  const files = await listFiles(config);
  const spans = spansOf(files, config, ask);
  const marks = config.append_only ? new Map(appendMarks(ask.from)) : undefined;
  let left = ask.limit ?? Number.POSITIVE_INFINITY;
  for (const span of spans) {
    const file = await openFile(span.file, config.append_only);
    try {
      const pageRowsMax = Math.min(ask.pageRowsMax, left);
      for await (const page of readFile(file, span, { ...ask, pageRowsMax })) {
        const { rows, rejects, lines } = page;
        yield {
          rows,
          rejects,
          where: (index) => `${file.place}:${lines[index]}`,
          position: positionOf(file, page, marks),
        };
        left -= rows.length + rejects.length;
        if (left <= 0) return;
      }
    } finally {
      await file.handle.close();
    }
  }
}

async function* readFile(file: OpenFile, span: FileSpan, ask: ReadAsk): AsyncGenerator<FilePage> {
  const { config, signal, log, pageRowsMax } = ask;
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
    // Where `to` says that a row ends, it ends.
    leavesOpenRow: config.append_only && to === undefined,
  });
  const stretch = { from: piecesBegin(start.offset), to: to?.offset, signal };
  yield* reader.pages(bytesOf(file, stretch));
  if (reader.blankLines > 0) {
    log.info("blank lines were passed over", { file: file.place, lines: reader.blankLines });
  }
  if (reader.openQuoteLine > 0) {
    log.warn("a quoted field is still open, and what follows it waits", {
      where: `${file.place}:${reader.openQuoteLine}`,
    });
  }
}

/** The position behind a page: of a file within the run, or of all append-only files, whose marks it brings up to date. */
function positionOf(
  file: OpenFile,
  page: FilePage,
  marks: Map<string, Mark> | undefined,
): CsvPosition {
  const { offset, line, tail } = page;
  const mark = { file: file.place, offset, line, head: headHash(file, offset), tail };
  if (marks === undefined) return { ...mark, ...stateOf(file) };
  marks.set(file.place, mark);
  return { files: [...marks.values()] };
}
