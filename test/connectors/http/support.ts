import { onTestFinished } from "vitest";

import type { Page, Row } from "../../../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../../../connectors/contract/request.ts";
import { http } from "../../../connectors/http/index.ts";
import type { HarnessRow } from "../../../testing/harness.ts";
import { ApiServer, type ApiStyle } from "./api-server.ts";

/** An API that closes with its test. */
export async function startApi(style: ApiStyle): Promise<ApiServer> {
  const server = await new ApiServer(style).listen();
  onTestFinished(async () => await server.close());
  return server;
}

/** The common request of all abilities, for an API. */
export function readRequestOf(server: ApiServer, members: object = {}): ConnectorRequest<unknown> {
  const config = http.config.parse({ ...server.config, ...members });
  const log = { info: () => undefined, warn: () => undefined };
  return { config, signal: new AbortController().signal, log };
}

/** All pages of a read. */
export async function pagesOf(
  ask: ConnectorRequest<unknown>,
  more: Partial<Parameters<typeof http.read>[0]> = {},
): Promise<readonly Page<Row, unknown>[]> {
  const pages: Page<Row, unknown>[] = [];
  for await (const page of http.read({ ...ask, pageRowsMax: 100, ...more })) pages.push(page);
  return pages;
}

/** The ids of all rows. */
export function idsOf(pages: readonly Page<Row, unknown>[]): readonly string[] {
  return pages.flatMap(({ rows }) => rows.map(({ id }) => String(id)));
}

/** The error of a read. */
export async function errorOf(ask: ConnectorRequest<unknown>): Promise<unknown> {
  return await pagesOf(ask).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Rows of ids 1 to `count`; `second` gives the second of a minute in which each changed. @default its id */
export function rowsOf(count: number, second = (id: number) => id): readonly HarnessRow[] {
  return Array.from({ length: count }, (_, index) => {
    const seconds = String(second(index + 1)).padStart(2, "0");
    return {
      id: String(index + 1),
      text: "canary-cell",
      changed: `2026-03-29T00:59:${seconds}.000000Z`,
    };
  });
}
