import { externalName } from "../src/config/external.ts";
import { SluiceError } from "../src/errors.ts";
import { rowCount, type RowPage } from "../src/pipeline/page.ts";
import type { Source } from "./contract/connector.ts";
import { ConnectorFault } from "./contract/fault.ts";
import type { Log } from "./contract/request.ts";
import { positionCheck } from "./own-positions.ts";

/** The part of a source to read. */
type SpanJob = {
  readonly connector: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly span: { readonly from: unknown; readonly to: unknown };
  readonly pageRowsMax: number;
  /** Rows that may still be read; undefined for all. */
  readonly limit: number | undefined;
};

/**
 * Yields the pages of a span, with no more rows than the run may still read. It enforces what the engine relies on,
 * even for a connector that the kit never tested: a read that ends because it was aborted has not come to the end, a
 * page stays as it was when it came, and one can go on from its position.
 * @throws the reason of the abort.
 */
export async function* readSpan(
  job: SpanJob,
  { source, signal }: { readonly source: Source; readonly signal: AbortSignal },
  log: Log,
): AsyncGenerator<RowPage> {
  let left = job.limit ?? Infinity;
  let from = source.position.optional().parse(job.span.from);
  const to = source.position.optional().parse(job.span.to);
  const request = { config: job.config, signal, log };
  const check = positionCheck(job.connector, source);
  while (left > 0) {
    const before = left;
    let fits = true;
    const pageRowsMax = Math.min(job.pageRowsMax, left);
    try {
      for await (const read of source.read({ ...request, from, to, pageRowsMax, limit: left })) {
        signal.throwIfAborted();
        const page = asItCame(read);
        const size = rowCount(page) + (page.rejects?.length ?? 0);
        // A page is whole or not at all, because its position covers exactly its rows: the rest is asked for again.
        fits = size <= left;
        if (!fits) break;
        check(page);
        left -= size;
        from = page.position;
        yield page;
        if (left === 0) return;
      }
    } catch (error) {
      throw signal.aborted ? error : sayable(error, job.connector);
    }
    // A read that stops quietly at an abort has not come to the end.
    signal.throwIfAborted();
    // A source without a smaller page ends the read below the limit.
    if (fits || left === before) return;
  }
}

/** Copies a page: a connector may reuse one position object, and would change the position of every page with it. */
function asItCame(page: RowPage): RowPage {
  return {
    get rows() {
      return page.rows;
    },
    cells: page.cells,
    rejects: page.rejects,
    mayComeAgain: page.mayComeAgain,
    heapBytes: page.heapBytes,
    position: structuredClone(page.position),
    where: (index) => page.where(index),
    text: page.text === undefined ? undefined : (index) => page.text?.(index) ?? "",
  };
}

/**
 * An error of an external connector may quote a row, and would enter Temporal: only its name and place are shown, not
 * its words.
 */
function sayable(error: unknown, connector: string): unknown {
  if (error instanceof SluiceError || !externalName.test(connector)) return error;
  const { name } = error instanceof Error ? error : new Error();
  const where = error instanceof ConnectorFault ? ` at ${error.place}` : "";
  return new Error(
    `connector ${connector} fails${where}: ${name}; \`sluice connector dev\` shows its words`,
  );
}
