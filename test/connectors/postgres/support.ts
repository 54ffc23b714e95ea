import type { Page, Span } from "../../../connectors/contract/connector.ts";
import { postgresConfig, type PostgresConfig } from "../../../connectors/postgres/config.ts";
import type { PostgresPosition } from "../../../connectors/postgres/position.ts";
import { readPostgres } from "../../../connectors/postgres/read.ts";
import type { PostgresRow } from "../../../connectors/postgres/sql/row.ts";

/** The common request of all abilities: it is never cancelled, and its log is discarded. */
export function readRequestOf(
  url: string,
  members: object = {},
): {
  readonly config: PostgresConfig;
  readonly signal: AbortSignal;
  readonly log: { info(): void; warn(): void };
} {
  return {
    config: postgresConfig.parse({ url, ...members }),
    signal: new AbortController().signal,
    log: { info: () => undefined, warn: () => undefined },
  };
}

/** A page as the connector yields it. */
export type PostgresPage = Page<PostgresRow, PostgresPosition>;

/** Reads a span to its end. */
export async function pagesOf(
  ask: ReturnType<typeof readRequestOf>,
  how: Span<PostgresPosition> & { readonly pageRowsMax?: number } = {},
): Promise<readonly PostgresPage[]> {
  const pages: PostgresPage[] = [];
  for await (const page of readPostgres({ ...ask, pageRowsMax: 7, ...how })) pages.push(page);
  return pages;
}

/** One column of all the rows of some pages. */
export function columnIn(
  pages: readonly Pick<PostgresPage, "rows">[],
  column: string,
): readonly unknown[] {
  return pages.flatMap(({ rows }) => rows.map((row) => row[column]));
}
