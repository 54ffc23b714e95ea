import type { Span } from "../../contract/connector.ts";
import type { ConnectorRequest } from "../../contract/request.ts";
import type { CsvConfig } from "../config.ts";
import { listFiles } from "../files.ts";
import { assertSameFile, changed, openFile } from "../open.ts";
import type { CsvPosition, RunPosition } from "../position.ts";
import { behind, passedBefore, runPositionOf, type Passed } from "../read.ts";
import { spansOf, type FileSpan } from "../spans.ts";
import { walkRows, type IsReached } from "./walk.ts";

type SplitRequest = ConnectorRequest<CsvConfig> & Span<CsvPosition> & { readonly parts: number };

/**
 * Cuts a span into at most `parts` neighbours of about as many bytes each, between rows. A plain file is walked up to
 * its last edge, because quotes can be followed only from its beginning; a file without an edge in it is only opened.
 * The span of an append-only source stays whole: its positions hold a mark of each file, and the parts of a backfill of
 * it would have no order. So does a span of several files where the first row of a key wins.
 */
export async function splitCsv(request: SplitRequest): Promise<readonly Span<CsvPosition>[]> {
  const { from, to } = request;
  const sections = request.config.append_only ? [] : await sectionsOf(request);
  // With two lanes at once, the newest file would not be the first.
  const isOne = request.config.first_wins === true && sections.length > 1;
  const edges = isOne || sections.length === 0 ? [] : await new Cut(request, sections).edges();
  return [...edges, to].map((edge, index) => ({
    from: index === 0 ? from : edges[index - 1],
    to: edge,
  }));
}

/** The span of a file, and where it is among the bytes of all. */
type Section = {
  readonly span: FileSpan;
  readonly isGzip: boolean;
  /** Bytes of the sections before it. */
  readonly begin: number;
  /** For a gzip file, the bytes as stored, because it does not say how many they unpack to. */
  readonly bytes: number;
  /** The files passed before this one, and those passed after it was read. */
  readonly before: Passed;
  readonly after: Passed;
};

/** @throws {SourceChangedError} a file is not the one that an end of the span was made from, or follows other files. */
async function sectionsOf(request: SplitRequest): Promise<readonly Section[]> {
  const { config, from, to, signal } = request;
  const sections: Section[] = [];
  const spans = spansOf(await listFiles(config), config, { from, to });
  let before = passedBefore(from, spans);
  let begin = 0;
  for (const span of spans) {
    signal.throwIfAborted();
    await using file = await openFile(span.file, config.append_only);
    if (span.from !== undefined) assertSameFile(file, span.from);
    if (span.to !== undefined) {
      assertSameFile(file, span.to);
      if (before.before !== hashBefore(to)) {
        throw changed(file.place, "follows other files than when it was read");
      }
    }
    const { isGzip, size } = file;
    const bytes = isGzip ? size : Math.max(0, (span.to?.offset ?? size) - (span.from?.offset ?? 0));
    const after = behind(before, file);
    sections.push({ span, isGzip, begin, bytes, before, after });
    before = after;
    begin += bytes;
  }
  return sections;
}

function hashBefore(position: CsvPosition | undefined): string | undefined {
  return position !== undefined && "before" in position ? position.before : undefined;
}

/** An edge between two parts, and the section it is in. */
type Edge = { readonly index: number; readonly position: RunPosition };

/** Finds the edges of one span, in order. */
class Cut {
  readonly #request: SplitRequest;
  readonly #sections: readonly Section[];
  #last: Edge | undefined;

  constructor(request: SplitRequest, sections: readonly Section[]) {
    this.#request = request;
    this.#sections = sections;
  }

  async edges(): Promise<readonly RunPosition[]> {
    const { parts } = this.#request;
    const total = this.#sections.reduce((sum, { bytes }) => sum + bytes, 0);
    const positions: RunPosition[] = [];
    for (let part = 1; part < parts; part += 1) {
      const edge = await this.#edgeNear((total * part) / parts);
      if (edge === undefined) continue;
      this.#last = edge;
      positions.push(edge.position);
    }
    return positions;
  }

  /** The edge at a byte or soon after it; undefined where a part would be left without rows. */
  async #edgeNear(byte: number): Promise<Edge | undefined> {
    const index = this.#sections.findIndex(({ begin, bytes }) => byte < begin + bytes);
    const section = this.#sections[index];
    if (section === undefined) return undefined;
    // The last edge has moved on to a later section, because this one has no row left.
    if (index < (this.#last?.index ?? 0)) return undefined;
    const inside = byte - section.begin;
    if (section.isGzip) {
      // An edge inside would make each part after it unpack all that comes before: the lanes together would
      // read the file many times.
      return await this.#beginningFrom(inside * 2 < section.bytes ? index : index + 1);
    }
    return (await this.#rowIn(index, inside)) ?? (await this.#beginningFrom(index + 1));
  }

  /** The first row of the first section from `first` on that has one. */
  async #beginningFrom(first: number): Promise<Edge | undefined> {
    // No edge may be where the span begins, nor at or before another edge.
    if (first <= (this.#last?.index ?? 0)) return undefined;
    for (let index = first; index < this.#sections.length; index += 1) {
      const edge = await this.#walk(index, { from: undefined, isReached: () => true });
      if (edge !== undefined) return edge;
    }
    return undefined;
  }

  /** The first row at or after a byte of a section that has a row before it, since the last edge. */
  async #rowIn(index: number, inside: number): Promise<Edge | undefined> {
    const from =
      this.#last?.index === index ? this.#last.position : this.#sections[index]?.span.from;
    const least = (this.#sections[index]?.span.from?.offset ?? 0) + inside;
    let rows = 0;
    return await this.#walk(index, {
      from,
      isReached: ({ offset }) => {
        rows += 1;
        return rows > 1 && offset >= least;
      },
    });
  }

  async #walk(
    index: number,
    how: { readonly from: FileSpan["from"]; readonly isReached: IsReached },
  ): Promise<Edge | undefined> {
    const section = this.#sections[index];
    if (section === undefined) return undefined;
    const { span, before, after } = section;
    const { config, signal } = this.#request;
    await using file = await openFile(span.file, config.append_only);
    // It was opened before, to get its size.
    if (behind(before, file).before !== after.before)
      throw changed(file.place, "changed while it was read");
    const { from, isReached } = how;
    const walked = await walkRows(file, { ...span, from }, { config, signal, isReached });
    return walked.isEnd ? undefined : { index, position: runPositionOf(file, walked, before) };
  }
}
