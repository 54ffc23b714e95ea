import { once } from "node:events";
import { createServer } from "node:http";

import { onTestFinished } from "vitest";

import type { Row } from "../../../connectors/contract/connector.ts";
import { paginate, type PagedList } from "../../../connectors/paging/paginate.ts";
import { portOf } from "../../src/api/support.ts";

/**
 * A server that answers by path and query, with the header `x-next` where one is given, and with `refusal` to anything
 * else; it closes with its test.
 */
export async function startServer(
  answers: Readonly<Record<string, string>>,
  next: Readonly<Record<string, string>> = {},
  refusal = 404,
): Promise<{ readonly seen: readonly string[]; readonly get: (target: string) => string }> {
  const seen: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    seen.push(url);
    const named = next[url];
    if (named !== undefined) response.setHeader("x-next", named);
    response.writeHead(answers[url] === undefined ? refusal : 200).end(answers[url]);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { seen, get: (target) => `http://127.0.0.1:${portOf(server)}${target}` };
}

/** All rows of a list. */
export async function readList(list: PagedList): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const signal = new AbortController().signal;
  for await (const page of paginate({ signal, pageRowsMax: 100 }, list)) rows.push(...page.rows);
  return rows;
}

/** The error of reading a list. */
export async function errorOfRead(list: PagedList): Promise<unknown> {
  return await readList(list).then(
    () => undefined,
    (error: unknown) => error,
  );
}
