import { describe, expect, it } from "vitest";
import { z } from "zod";

import { beginPass } from "../../../src/api/pass.ts";
import type { Pass } from "../../../src/api/pass.ts";
import type { SearchPageInput } from "../../../src/api/search.ts";
import { ApiContractError } from "../../../src/errors.ts";
import { pages } from "./pages.ts";
import {
  clientOf,
  firstPage,
  foundAccount,
  json,
  pageOf,
  rejection,
  startServer,
} from "./support.ts";
import type { TestServer } from "./support.ts";

const askedSchema = z.object({ cursor: z.int().optional(), limit: z.int() });

/** A service with this many accounts, which returns at most ten at a time; `wrong` may answer instead. */
async function service(
  total: number,
  wrong: (asked: {
    cursor: number;
    limit: number;
    times: number;
  }) => object | number | undefined = () => undefined,
): Promise<TestServer> {
  let times = 0;
  const server: TestServer = await startServer((response) => {
    times += 1;
    const asked: unknown = JSON.parse(server.seen.at(-1)?.body ?? "");
    const { cursor = 0, limit } = askedSchema.parse(asked);
    const answer = wrong({ cursor, limit, times });
    if (typeof answer === "number") {
      json(response, answer, { message: "no" });
      return;
    }
    const end = Math.min(cursor + Math.min(10, limit), total);
    const data = Array.from({ length: end - cursor }, (_, at) => ({
      ...foundAccount,
      mk_id: `mk-${cursor + at}`,
    }));
    const meta = { limit, total, has_next_page: end < total, next_cursor: end };
    json(response, 200, answer ?? pageOf(data, meta));
  });
  return server;
}

async function idsOf(
  { url }: TestServer,
  from: Partial<SearchPageInput> & { from?: Pass } = {},
): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { page: each } of pages(clientOf(url), { ...firstPage, ...from })) {
    ids.push(...each.items.map((item) => item["mk_id"]));
  }
  return ids;
}

const all = (count: number): string[] => Array.from({ length: count }, (_, at) => `mk-${at}`);

describe("pages", () => {
  it.each([0, 1, 9, 10, 11, 25])("brings each of %i results once", async (total) => {
    const server = await service(total);
    expect(await idsOf(server)).toEqual(all(total));
    expect(server.seen).toHaveLength(Math.max(1, Math.ceil(total / 10)));
  });

  it("continues from a pass that was kept, without paying again", async () => {
    const server = await service(25, ({ times }) => (times === 3 ? 500 : undefined));
    const came: unknown[] = [];
    let kept = beginPass(100);
    const client = clientOf(server.url);
    const goOn = async (): Promise<void> => {
      for await (const each of pages(client, { ...firstPage, from: kept })) {
        came.push(...each.page.items.map((item) => item["mk_id"]));
        kept = each.pass;
      }
    };
    await rejection(goOn());
    expect(came).toEqual(all(20));
    await goOn();
    expect(came).toEqual(all(25));
    expect(server.seen).toHaveLength(4);
  });

  it("makes one request for each page, and none again by itself", async () => {
    const server = await service(25, ({ times }) => (times === 2 ? 503 : undefined));
    expect(await rejection(idsOf(server))).toMatchObject({ code: "OutcomeUnknown" });
    expect(server.seen).toHaveLength(2);
  });

  it("asks for half until a page is not too large, and brings every result once", async () => {
    const server = await service(25, ({ limit }) => (limit > 4 ? 413 : undefined));
    expect(await idsOf(server, { query: { limit: 16 } })).toEqual(all(25));
    const limits = server.seen.map(({ body }) => askedSchema.parse(JSON.parse(body)).limit);
    expect(limits).toEqual([16, 8, ...Array.from({ length: 7 }, () => 4)]);
  });

  it("stops at a service that finds every page too large", async () => {
    const server = await service(25, () => 413);
    const error = await rejection(idsOf(server, { query: { limit: 4 } }));
    expect(error).toBeInstanceOf(ApiContractError);
    expect(server.seen).toHaveLength(3);
  });

  it("stops at a loop of cursors after two requests", async () => {
    const looping = pageOf([foundAccount], { has_next_page: true, next_cursor: 10 });
    const server = await service(25, () => looping);
    expect(await rejection(idsOf(server))).toMatchObject({ code: "ContractBroken" });
    expect(server.seen).toHaveLength(2);
  });

  it("brings what is sound on a page with a poison item", async () => {
    const data = [{ mk_id: 7 }, foundAccount];
    const server = await service(2, () => pageOf(data, { total: 2, has_next_page: false }));
    const came = pages(clientOf(server.url), firstPage);
    const { value } = await came.next();
    expect(value).toMatchObject({
      page: { items: [foundAccount], bad: [{ index: 0 }] },
      pass: { isDone: true, seen: 2, notes: [] },
    });
  });

  it("stops with the reason of its signal", async () => {
    const abort = new AbortController();
    const reason = new Error("cancelled by a person");
    const server = await service(25, ({ times }) => {
      if (times === 2) abort.abort(reason);
      return undefined;
    });
    const readAll = async (): Promise<void> => {
      for await (const { pass: each } of pages(clientOf(server.url), {
        ...firstPage,
        signal: abort.signal,
      })) {
        expect(each.seen).toBeLessThanOrEqual(20);
      }
    };
    expect(await rejection(readAll())).toBe(reason);
    expect(server.seen).toHaveLength(2);
  });
});
