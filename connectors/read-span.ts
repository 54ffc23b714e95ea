import { externalName } from "../src/config/external.ts";
import { SluiceError } from "../src/errors.ts";
import { rowCount, type RowPage } from "../src/pipeline/page.ts";
import type { Source } from "./contract/connector.ts";
import { ConnectorFault } from "./contract/fault.ts";
import type { Log } from "./contract/request.ts";

/** What is read of a source. */
type SpanJob = {
  readonly connector: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly span: { readonly from: unknown; readonly to: unknown };
  readonly pageRowsMax: number;
  /** Rows that may still be read; undefined is all. */
  readonly limit: number | undefined;
};

/**
 * The pages of a span, never more rows than the run may still read. What the connector is asked is what the
 * engine relies on, also where the connector was never tried by the kit: a read that ends because it was
 * aborted is not an end, and a page is what it was when it came.
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
  while (left > 0) {
    const before = left;
    let fits = true;
    const pageRowsMax = Math.min(job.pageRowsMax, left);
    try {
      for await (const read of source.read({ ...request, from, to, pageRowsMax, limit: left })) {
        signal.throwIfAborted();
        const page = asItCame(read);
        const size = rowCount(page) + (page.rejects?.length ?? 0);
        // A page is whole or not at all, because its position covers exactly its rows: what is left is asked for anew.
        fits = size <= left;
        if (!fits) break;
        left -= size;
        from = page.position;
        yield page;
        if (left === 0) return;
      }
    } catch (error) {
      throw signal.aborted ? error : sayable(error, job.connector);
    }
    // One that stops quietly when it is told to has not come to the end.
    signal.throwIfAborted();
    // A source without a smaller page ends the read below the limit.
    if (fits || left === before) return;
  }
}

/** A connector may move one position object along: it would take every page's with it. */
function asItCame(page: RowPage): RowPage {
  return {
    get rows() {
      return page.rows;
    },
    cells: page.cells,
    rejects: page.rejects,
    mayComeAgain: page.mayComeAgain,
    position: structuredClone(page.position),
    where: (index) => page.where(index),
    text: page.text === undefined ? undefined : (index) => page.text?.(index) ?? "",
  };
}

/**
 * An error of an external connector may quote a row, and would enter Temporal: its name and place are told,
 * not its words.
 */
function sayable(error: unknown, connector: string): unknown {
  if (error instanceof SluiceError || !externalName.test(connector)) return error;
  const { name } = error instanceof Error ? error : new Error();
  const where = error instanceof ConnectorFault ? ` at ${error.place}` : "";
  return new Error(
    `connector ${connector} fails${where}: ${name}; \`sluice connector dev\` shows its words`,
  );
}
