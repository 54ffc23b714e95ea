import { once } from "node:events";
import { createServer } from "node:http";

import type { HarnessRow, PullHarness } from "sluice/testing";

/** The source that the kit fills, empties and reads: an API of its own, on a free port. Never one that anybody uses. */
export async function harness(): Promise<PullHarness> {
  const rows = new Map<string, HarnessRow>();
  // Yours to change: answers as your API does, five rows a page.
  const server = createServer((request, response) => {
    const start = Number(new URL(request.url ?? "", "http://api").searchParams.get("cursor"));
    const next = start + 5 < rows.size ? String(start + 5) : null;
    response.end(JSON.stringify({ data: [...rows.values()].slice(start, start + 5), next }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    config: { url: `http://127.0.0.1:${port}`, token: "of the harness alone" },
    // A row's `text` may be null: no cell.
    async fill(added) {
      for (const row of added) rows.set(row.id, row);
    },
    empty: async () => rows.clear(),
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
