import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { badCursors, metaMembers, unsafeUrls } from "../../../../src/sandbox/faults/fault-kinds.ts";
import { faultKinds, orderedFaultNames } from "../../../../src/sandbox/faults/faults.ts";
import { steps } from "../../../../src/sandbox/steps.ts";
import { beginPut, effects, failure, file, last, withScript } from "./fault-effects.ts";

const page = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
const rows = [
  ...page.matchAll(/^\| `([\w-]+)` +\| ([^|]+?) +\| ([^|]+?) +\| `([^|]+?)` +\|$/gm),
].map(([, name = "", where = "", summary = "", example = ""]) => ({
  name,
  where,
  summary,
  example,
}));

describe("the table of docs/sandbox.md", () => {
  it("tells of each fault what the command tells", () => {
    const told = faultKinds.map(({ name, steps: places, summary, example }) => {
      const where = places.length === steps.length ? "all" : places.join(", ");
      return { name, where, summary, example };
    });
    expect(rows).toEqual(told);
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...orderedFaultNames].toSorted());
  });
});

describe("an example of a fault", () => {
  it.each(Object.entries(effects))("does what it says: %s", async (name, effect) => {
    const { example } = rows.find((row) => row.name === name) ?? {};
    const client = await withScript(`faults:\n  - ${example}\n`);
    await effect(client);
    expect((await client.ledger()).map(({ fault }) => fault)).toContain(name);
  });
});

const pageSchema = z.object({
  data: z.array(z.unknown()),
  meta: z.record(z.string(), z.unknown()),
});

function metaOf(body: unknown): Record<string, unknown> {
  return pageSchema.parse(body).meta;
}

describe("a fault with a choice", () => {
  it("leaves the connection of an early 200 open", async () => {
    const client = await withScript("faults: [{ step: put, do: early-200, connection: leave }]");
    const begun = await beginPut(client);
    expect(begun.text).toMatch(/^HTTP\/1.1 200 [^]*connection: keep-alive/i);
    await client.confirm(await client.upload(file));
    expect([begun.socket.readableEnded, begun.socket.destroyed]).toEqual([false, false]);
    expect(await client.records()).toHaveLength(1);
  });

  it("cuts an answer short of its length", async () => {
    const client = await withScript("faults: [{ step: put, do: cut-answer }]");
    const { url, fileKey } = await client.uploadAddress();
    expect(await failure(client.put(url, file))).toBe("UND_ERR_SOCKET");
    expect(await last(client)).toMatchObject({ status: 200, bytes: file.length });
    expect((await client.confirm(fileKey)).status).toBe(200);
  });

  it.each([
    ["http", /^http:\/\/storage\.example\.com\//],
    ["user-info", /^http:\/\/someone:anything@127\.0\.0\.1:/],
    ["private-address", /^https:\/\/10\.0\.0\.1\//],
    ["other-host", /^https:\/\/storage\.invalid\//],
  ] as const)("gives an unsafe address: %s", async (kind, address) => {
    expect(unsafeUrls).toContain(kind);
    const item = `{ step: generate-upload-url, do: unsafe-url, address: ${kind} }`;
    const client = await withScript(`faults: [${item}]`);
    expect((await client.uploadAddress()).url).toMatch(address);
    expect(await last(client)).toMatchObject({ fault: "unsafe-url" });
  });

  it.each([
    ["loop", { has_next_page: true, next_cursor: 20 }],
    ["shrink", { has_next_page: true, next_cursor: 19 }],
    ["none", { has_next_page: true }],
    ["text", { has_next_page: true, next_cursor: "40" }],
    ["large", { has_next_page: true, next_cursor: 2 ** 31 }],
  ] as const)("gives a bad cursor, also where no page follows: %s", async (kind, meta) => {
    expect(badCursors).toContain(kind);
    const client = await withScript(
      `faults: [{ step: search, do: bad-cursor, cursor: ${kind}, times: 2 }]`,
    );
    const body = { cursor: 20 };
    for (const path of ["/search/persons", "/search/accounts"]) {
      const { limit, total, ...rest } = metaOf((await client.post(path, body)).body);
      expect([limit, rest]).toEqual([20, meta]);
      expect(total).toBeGreaterThan(39);
      expect(await last(client)).toMatchObject({ fault: "bad-cursor", status: 200 });
    }
  });

  it.each(metaMembers)("leaves a member of meta out: %s", async (member) => {
    const client = await withScript(
      `faults: [{ step: search, do: missing-meta, member: ${member} }]`,
    );
    const whole = { limit: 20, total: 40, has_next_page: true, next_cursor: 20 };
    const { [member]: _, ...rest } = whole;
    expect(metaOf((await client.post("/search/accounts", {})).body)).toEqual(rest);
    expect(metaOf((await client.post("/search/accounts", {})).body)).toEqual(whole);
  });

  it("leaves all of meta out", async () => {
    const client = await withScript("faults: [{ step: search, do: missing-meta }]");
    const { body } = await client.post("/search/accounts", {});
    expect(Object.keys(z.looseObject({}).parse(body))).toEqual(["data"]);
  });

  it("skips an item of a page, and continues after it", async () => {
    const client = await withScript("faults: [{ step: search, do: shift-page, item: skipped }]");
    const skipped = await client.post("/search/accounts", { limit: 5 });
    const whole = await client.post("/search/accounts", { limit: 6 });
    expect(skipped.body).toMatchObject({ meta: { next_cursor: 6, total: 40 } });
    expect(skipped.body).toMatchObject({ data: pageSchema.parse(whole.body).data.slice(1) });
  });

  it("gives a body as JSON, or as the text it is", async () => {
    const client = await withScript(`faults:
      - { step: ping, do: answer, status: 500, body: { message: broken } }
      - { step: ping, do: answer, status: 502, headers: { content-type: text/plain }, body: broken }`);
    const given = { status: 500, body: { message: "broken" } };
    expect(await client.get("/v1/ping")).toMatchObject(given);
    expect(await client.get("/v1/ping")).toMatchObject({ status: 502, body: "broken" });
  });

  it("is not a fault where it finds no occasion", async () => {
    const client = await withScript(`faults:
      - { step: generate-upload-url, do: same-key }
      - { step: confirm-upload, do: not-found-yet, within: 10m }
      - { step: search, do: shift-page, item: repeated }
      - { step: search, do: poison-item, at: 5, after: 1 }
      - { step: search, do: missing-meta, member: next_cursor, after: 2 }
      - { step: search, do: empty-page, after: 3 }`);
    await client.uploadAddress();
    await client.confirm("unknown");
    await client.post("/search/accounts", {});
    await client.post("/search/accounts", { limit: 5 });
    await client.post("/search/accounts", { cursor: 39 });
    await client.post("/search/accounts", { cursor: 2 ** 31 - 1 });
    const lines = await client.ledger();
    expect(lines.map(({ fault }) => fault)).toEqual(lines.map(() => null));
    expect(lines).toHaveLength(6);
  });
});
