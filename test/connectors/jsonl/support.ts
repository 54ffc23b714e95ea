import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page, Row } from "../../../connectors/contract/connector.ts";
import { jsonl } from "../../../connectors/jsonl/index.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

/** The common request of all abilities, for a file `a.jsonl` with this content. */
export async function askFor(
  content: string | Uint8Array,
  members: object = {},
): Promise<TestRequest> {
  const folder = await temporaryFolder();
  const path = join(folder, "a.jsonl");
  await writeFile(path, content);
  const config = jsonl.config.parse({ path: "a.jsonl", folder, ...members });
  const log = { info: () => undefined, warn: () => undefined };
  return { path, ask: { config, signal: new AbortController().signal, log } };
}

type TestRequest = {
  readonly path: string;
  readonly ask: Omit<Parameters<typeof jsonl.read>[0], "pageRowsMax">;
};

/** All pages of a read. */
export async function pagesOf(
  ask: TestRequest["ask"],
  more: Partial<Parameters<typeof jsonl.read>[0]> = {},
): Promise<readonly Page<Row, unknown>[]> {
  const pages: Page<Row, unknown>[] = [];
  for await (const page of jsonl.read({ ...ask, pageRowsMax: 100, ...more })) pages.push(page);
  return pages;
}

/** The items of pages: a row as `place {json}`, and after a page's rows its rejects as `place code`. */
export function itemsOf(pages: readonly Page<Row, unknown>[]): readonly string[] {
  return pages.flatMap((page) => [
    ...page.rows.map((row, index) => `${page.where(index)} ${JSON.stringify(row)}`),
    ...(page.rejects ?? []).map((reject) => `${reject.where} ${reject.code}`),
  ]);
}
