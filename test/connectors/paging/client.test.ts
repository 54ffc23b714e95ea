import { once } from "node:events";
import { createServer } from "node:http";

import { expect, it, onTestFinished } from "vitest";

import { HttpClient, type ClientOptions } from "../../../connectors/paging/client.ts";
import { version } from "../../../src/version.ts";
import { portOf } from "../../src/api/support.ts";

/** The names and values of the headers that a request of a client has, as they are sent. */
async function sentWith(options: ClientOptions): Promise<readonly string[]> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    sent.push(...request.rawHeaders);
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  await using client = new HttpClient(new AbortController().signal, options);
  await client.get(`http://127.0.0.1:${portOf(server)}/a`);
  return sent;
}

it("says who asks, because some APIs refuse who does not", async () => {
  expect(await sentWith({})).toEqual(expect.arrayContaining(["user-agent", `sluice/${version}`]));
});

it("sends a connector's own name once, in whatever case it is written", async () => {
  const sent = await sentWith({ headers: { "User-Agent": "books/1" } });
  expect(sent.filter((text) => text.toLowerCase() === "user-agent")).toEqual(["User-Agent"]);
  expect(sent).toContain("books/1");
});

it.each([25, 60])("waits for an answer also where it may take %i days", async (days) => {
  const sent = await sentWith({ timeoutMs: days * 86_400_000 });
  expect(sent).not.toEqual([]);
});
