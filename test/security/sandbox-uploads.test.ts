import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { Client } from "undici";
import { describe, expect, it } from "vitest";

import { account, gzipOf, started, type SandboxClient } from "../src/sandbox/sandbox-client.ts";
import { slowed } from "../support/process/processor-time.ts";
import { someOf } from "../support/trials.ts";

/** Every file written by the sandbox, and any file next to its folder, as paths from the folder above its own. */
async function filesAround(client: SandboxClient): Promise<string[]> {
  const names = await readdir(join(client.dataFolder, ".."), { recursive: true });
  return names.toSorted((a, b) => a.localeCompare(b));
}

/** PUTs to an unmodified path, which a URL would normalise. */
async function putRaw(client: SandboxClient, path: string, query: string): Promise<number> {
  const http = new Client(client.sandbox.address);
  const { statusCode, body } = await http.request({
    method: "PUT",
    path: `${path}?${query}`,
    headers: { "content-type": "application/jsonl", "content-encoding": "gzip" },
    body: gzipOf([account(1)]),
  });
  await body.dump();
  await http.close();
  return statusCode;
}

describe("a file key as a path (T6)", () => {
  it("leads nowhere at confirm", async () => {
    const client = await started();
    const key = await client.upload(gzipOf([account(1)]));
    const before = await filesAround(client);
    const forged = [
      "../../x",
      "/etc/passwd",
      "a/../../b",
      "%2e%2e/",
      "a\0b",
      "k".repeat(10_000),
      `./${key}`,
      `${key}/`,
      `${key}\0`,
      ` ${key}`,
      `${key}.`,
      key.toUpperCase(),
      // Cyrillic and full-width letters that look like those of the key, and the key in another encoding.
      key.replace("a", "а"),
      key.replace("u", "ｕ"),
      encodeURIComponent(key),
      "__proto__",
    ].filter((each) => each !== key);
    for (const fileKey of forged) {
      expect({ fileKey, status: (await client.confirm(fileKey)).status }).toEqual({
        fileKey,
        status: 404,
      });
    }
    expect(await filesAround(client)).toEqual(before);
    expect((await client.confirm(key)).status).toBe(200);
  });

  it("leads nowhere at the PUT, whoever's signature is beside it", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    const { pathname, search } = new URL(url);
    const before = await filesAround(client);
    const paths = [
      "/_storage/../../x",
      "/_storage//etc/passwd",
      "/_storage/%2e%2e/%2e%2e/x",
      "/_storage/..%2f..%2fx",
      "/_storage/a%00b",
      `/_storage/${"k".repeat(10_000)}`,
      `${pathname}/../../../x`,
      `${pathname}%00`,
      `${pathname}/`,
      pathname.toUpperCase(),
    ];
    for (const path of paths) {
      expect([path, await putRaw(client, path, search.slice(1))]).toEqual([
        path,
        expect.toSatisfy((status: number) => status === 403 || status === 404),
      ]);
    }
    expect(await filesAround(client)).toEqual(before);
    expect((await client.confirm(fileKey)).status).toBe(404);
    expect(await putRaw(client, pathname, search.slice(1))).toBe(200);
  });

  it("is not a name on the disk", async () => {
    const client = await started();
    const key = await client.upload(gzipOf([account(1)]));
    const names = (await filesAround(client)).join("\n");
    expect(names).not.toContain(key);
    expect(names).not.toContain(key.split("/").at(-1));
  });
});

/** One gzip stream of this many members, each of which inflates to 64 MiB. */
function bombOf(member: Buffer, members: number): Buffer {
  return Buffer.concat(Array.from({ length: members }, () => member));
}

describe("a gzip bomb (T7)", () => {
  const gzipBombs = [
    ["zeros", "\0"],
    ["one line", "x"],
    ["empty lines", "\n"],
  ] as const;

  it.each(someOf(gzipBombs, 3))(
    "of 2 GB of %s is refused, and takes no memory",
    async (_name, piece) => {
      const client = await started();
      const bomb = bombOf(gzipSync(Buffer.alloc(64 * 1024 * 1024, piece)), 32);
      expect(bomb.length).toBeLessThan(4_000_000);
      const before = process.memoryUsage.rss();
      const key = await client.upload(bomb);
      const answer = await client.confirm(key);
      expect(answer.status).toBe(422);
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
      expect((await client.ledger()).at(-1)).toMatchObject({ applied: false });
      expect(await client.records()).toEqual([]);
    },
  );

  it("within a bomb is bytes, and no line", async () => {
    const client = await started();
    const nested = gzipSync(gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024))));
    expect((await client.confirm(await client.upload(nested))).status).toBe(422);
  });
});

/** The longest processor time in which nothing else could be done while `work` was running, in ms. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const before = process.threadCpuUsage();
      await new Promise((resolve) => setImmediate(resolve));
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  await work();
  over.abort();
  await watching;
  return longest;
}

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const manyKeys = `{${Array.from({ length: 70_000 }, (_, at) => `"k${at}":1`).join()}}`;

/** An account whose properties are this JSON. */
const recordWith = (properties: string): string =>
  `{"account_id":"a","domain":"a.example","account_properties":${properties}}`;

/**
 * The name of the attack, the record, the status, and the maximum time in which nothing else can be done, in ms. The
 * two of a whole megabyte took 66 and 96 ms (measured), most of it in V8's parser.
 */
const bombs: readonly (readonly [string, string, number, number])[] = [
  ["100,000 levels", recordWith(`{"a":${deep}}`), 422, 50],
  ["70,000 members", recordWith(manyKeys), 200, 300],
  ["a member named __proto__", recordWith('{"__proto__":{"polluted":true}}'), 200, 50],
  ["a number beyond a double's", recordWith('{"a":1e400}'), 422, 50],
  ["half a surrogate pair", recordWith(String.raw`{"a":"\ud800"}`), 422, 50],
  ["no JSON but brackets", "[".repeat(900_000), 422, 300],
];

describe("a bomb of JSON (T8)", () => {
  it.each(bombs)("is answered in a body: %s", async (...[, record, expected, blockMsMax]) => {
    const client = await started();
    const body = `{"stream":"account","data":[${record}]}`;
    const send = async (): Promise<void> => {
      const { status } = await client.post("/ingestion/upload-json", body);
      expect(status).toBe(expected);
    };
    const blocks = [await longestBlock(send), await longestBlock(send), await longestBlock(send)];
    expect(Math.min(...blocks)).toBeLessThan(slowed(blockMsMax));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it.each(bombs)("is answered in a file: %s", async (_name, record, expected) => {
    const client = await started();
    const key = await client.upload(gzipSync(`${record}\n`));
    expect((await client.confirm(key)).status).toBe(expected);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
