import { once } from "node:events";
import { createServer } from "node:http";

import { expect, it, onTestFinished } from "vitest";

import { Patience } from "../../../activities/stage/patience.ts";
import { RetryLater } from "../../../src/errors.ts";
import { portOf } from "../../src/api/support.ts";
import { accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** A list of pages of two rows each; requests beyond the allowed number are refused with a 429. */
async function runOverApi(allowed: {
  requests: number;
  readonly retryAfter?: string;
}): Promise<{ readonly run: TestRun; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    if (allowed.requests <= 0) {
      const { retryAfter } = allowed;
      response.writeHead(429, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
      return;
    }
    allowed.requests -= 1;
    const page = Number(new URL(url, "http://api").searchParams.get("c"));
    const data = [0, 1].map((row) => ({ id: `a${page}-${row}`, domain: "a.example", name: "A" }));
    response.end(JSON.stringify({ data, next: page < 4 ? String(page + 1) : null }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const list = "path: /rows, rows: /data, cursor: { parameter: c, pointer: /next }";
  const connection = `{ connector: http, url: "http://127.0.0.1:${portOf(server)}", ${list} }`;
  const yaml = accountsYaml().replace("{ connector: csv, path: accounts.csv }", connection);
  return { run: await TestRun.open(await Harness.open({ yaml })), asked };
}

it("keeps what came before its source says to ask later, and asks for nothing until then", async () => {
  const { run, asked } = await runOverApi({ requests: 2, retryAfter: "3600" });
  expect(await run.stage()).toMatchObject({ records: 4, done: false, counts: { read: 4 } });
  const failure = await failureOf(run.stage(2));
  expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
  expect(failure.message).toContain("429");
  expect(Number(failure.nextRetryDelay)).toBeGreaterThan(3_500_000);
  expect(asked).toEqual(["/rows", "/rows?c=1", "/rows?c=2"]);
});

it("reads a list to its end of which each try is allowed a few pages", async () => {
  const allowed = { requests: 2 };
  const { run, asked } = await runOverApi(allowed);
  const staged = [await run.stage()];
  for (const chunk of [2, 3]) {
    // One of them is for the page at which the previous chunk ended.
    allowed.requests = 3;
    staged.push(await run.stage(chunk));
  }
  expect(staged.map(({ records, done }) => [records, done])).toEqual([
    [4, false],
    [4, false],
    [2, true],
  ]);
  expect(new Set(asked).size).toBe(5);
});

it("tries a page again of which the source gives nothing", async () => {
  const { run } = await runOverApi({ requests: 0, retryAfter: "7" });
  expect(await failureOf(run.stage())).toMatchObject({
    type: "Unavailable",
    nextRetryDelay: 7_000,
  });
});

it("waits for the source of one run alone, and only where a time was told", () => {
  const patience = new Patience();
  patience.note("one", { message: "m", hint: "Wait.", afterMs: 60_000 });
  patience.note("two", { message: "m", hint: "Wait.", afterMs: undefined });
  expect(() => patience.assertOver("one")).toThrow("m");
  expect(() => patience.assertOver("two")).not.toThrow();
  patience.note("one", { message: "m", hint: "Wait.", afterMs: -1 });
  expect(() => patience.assertOver("one")).not.toThrow();
});

it("waits for no source whose time is no number", () => {
  const patience = new Patience();
  const { message, retryAfterMs: afterMs } = new RetryLater("m", { afterMs: Number("soon") });
  patience.note("one", { message, hint: "Wait.", afterMs });
  expect(() => patience.assertOver("one")).not.toThrow();
  expect(afterMs).toBeUndefined();
});
