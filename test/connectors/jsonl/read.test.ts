import { appendFile, rename, truncate, utimes, writeFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { jsonl } from "../../../connectors/jsonl/index.ts";
import { SourceChangedError } from "../../../src/errors.ts";
import { LongNumber } from "../../../src/mapping/refusal.ts";
import { askFor, itemsOf, pagesOf } from "./support.ts";

const lineBytesMax = 4 * 1024 * 1024;

describe("jsonl", () => {
  it("starts over in each run unless the file only grows", () => {
    expect(jsonl.restart?.({ append_only: false })).toBe("each-run");
    expect(jsonl.restart?.({ append_only: true })).toBe("resume");
  });
});

describe("the read of jsonl", () => {
  it("yields rows and rejects by their lines, and passes over blank ones", async () => {
    const text = '\uFEFF{"a":1}\r\n\n \t\r\n[1]\n{"a"\n{"a":"\u00e9"}\n"x"\nnull\n{"a":2}';
    const { ask } = await askFor(text);
    expect(itemsOf(await pagesOf(ask))).toEqual([
      'a.jsonl:1 {"a":1}',
      'a.jsonl:6 {"a":"\u00e9"}',
      'a.jsonl:9 {"a":2}',
      "a.jsonl:4 not_an_object",
      "a.jsonl:5 not_an_object",
      "a.jsonl:7 not_an_object",
      "a.jsonl:8 not_an_object",
    ]);
  });

  it("rejects a line that is not UTF-8 and keeps what it can show", async () => {
    const { ask } = await askFor(
      Buffer.concat([Buffer.from([0x7b, 0xff, 0x0a]), Buffer.from("{}\n")]),
    );
    const [page] = await pagesOf(ask);
    expect(page?.rows).toEqual([{}]);
    expect(page?.rejects).toEqual([
      {
        where: "a.jsonl:1",
        code: "invalid_encoding",
        reason: "the line is not UTF-8",
        row: "{\uFFFD",
        rowsBefore: 0,
      },
    ]);
  });

  it("says how many rows of the page come before a reject", async () => {
    const { ask } = await askFor("[1]\n{}\n{}\n\n[2]\n{}\n[3]\n");
    const [page] = await pagesOf(ask);
    expect(page?.rejects?.map(({ rowsBefore }) => rowsBefore)).toEqual([0, 2, 3]);
  });

  it("keeps the digits of a number and the text of a line", async () => {
    const line = '{"id":9007199254740993,"constructor":1,"__proto__":{"x":2}}';
    const { ask } = await askFor(`${line}\n`);
    const [page] = await pagesOf(ask);
    const row = page?.rows[0] ?? {};
    expect(row["id"]).toEqual(new LongNumber("9007199254740993"));
    expect(Object.keys(row)).toEqual(["id", "constructor", "__proto__"]);
    expect(Object.hasOwn({}, "x")).toBe(false);
    expect(page?.text?.(0)).toBe(line);
  });

  it.each([
    lineBytesMax - 1,
    lineBytesMax,
    lineBytesMax + 1,
    2 * lineBytesMax + 2,
    3 * lineBytesMax,
  ])("holds no line longer than its limit: %i bytes", async (bytes) => {
    const line = `{"a":"${"x".repeat(bytes - '{"a":""}'.length)}"}`;
    const { ask } = await askFor(`{}\n${line}\n{"b":1}`);
    const items = itemsOf(await pagesOf(ask)).map((item) => item.slice(0, 22));
    const long = bytes <= lineBytesMax ? 'a.jsonl:2 {"a":"xxxxxx' : "a.jsonl:2 line_too_lon";
    expect(items).toEqual(["a.jsonl:1 {}", long, 'a.jsonl:3 {"b":1}']);
  });

  it("ends a page where its bytes or the limit are reached", async () => {
    const big = JSON.stringify({ a: "x".repeat(3 * 512 * 1024) });
    const { ask } = await askFor(`${big}\n`.repeat(6));
    expect((await pagesOf(ask)).map(({ rows }) => rows.length)).toEqual([3, 3]);
    const limited = await pagesOf(ask, { limit: 2, pageRowsMax: 1 });
    expect(limited.map(({ rows }) => rows.length)).toEqual([1, 1]);
  });

  it("reads a last line without a newline, of an append-only file once it has one", async () => {
    const { ask } = await askFor('{"a":1}\n{"a":2}');
    expect(itemsOf(await pagesOf(ask))).toHaveLength(2);

    const { ask: grown, path } = await askFor('{"a":1}\n{"a":2', { append_only: true });
    const [first] = await pagesOf(grown);
    expect(itemsOf(await pagesOf(grown))).toEqual(['a.jsonl:1 {"a":1}']);
    await appendFile(path, '2}\n{"a":3}\n');
    const rest = await pagesOf(grown, { from: first?.position });
    expect(itemsOf(rest)).toEqual(['a.jsonl:2 {"a":22}', 'a.jsonl:3 {"a":3}']);
    const covered = await pagesOf(grown, { from: first?.position, to: rest[0]?.position });
    expect(itemsOf(covered)).toEqual(itemsOf(rest));
  });

  it("continues in an append-only file that was copied, and grew", async () => {
    const { ask, path } = await askFor('{"a":1}\n', { append_only: true });
    const [page] = await pagesOf(ask);
    await writeFile(`${path}.new`, '{"a":1}\n{"a":2}\n');
    await rename(`${path}.new`, path);
    expect(itemsOf(await pagesOf(ask, { from: page?.position }))).toEqual(['a.jsonl:2 {"a":2}']);
  });

  it.each([
    ["another beginning", '{"b":1}\n{"a":2}\n{"a":3}\n'],
    ["another end", '{"a":1}\n{"b":2}\n{"a":3}\n'],
    ["fewer bytes", '{"a":1}\n'],
  ])("refuses a position of an append-only file that has %s now", async (_, content) => {
    const { ask, path } = await askFor('{"a":1}\n{"a":2}\n', { append_only: true });
    const [page] = await pagesOf(ask);
    await writeFile(path, content);
    const read = pagesOf(ask, { from: page?.position });
    await expect(read).rejects.toThrow(SourceChangedError);
    await expect(read).rejects.toThrow("a.jsonl is not the file that was read before");
    await expect(read).rejects.toHaveProperty(
      "hint",
      "if it was replaced on purpose, send what was added to the old one, then `sluice state reset` begins with " +
        "the new one",
    );
  });

  it("speaks of no reset where a file that was replaced meanwhile is read whole", async () => {
    const { ask, path } = await askFor('{"a":1}\n{"a":2}\n');
    const [page] = await pagesOf(ask, { pageRowsMax: 1 });
    await utimes(path, 1, 1);
    const read = pagesOf(ask, { from: page?.position });
    await expect(read).rejects.toThrow(SourceChangedError);
    await expect(read).rejects.toHaveProperty(
      "hint",
      "put a new file in place by renaming it, and not while a run reads: a run of the sync reads it as it is now",
    );
  });

  it("refuses a position of a file that was touched, unless it only grows", async () => {
    const { ask, path } = await askFor('{"a":1}\n{"a":2}\n');
    const [page] = await pagesOf(ask, { pageRowsMax: 1 });
    await utimes(path, 1, 1);
    await expect(pagesOf(ask, { from: page?.position })).rejects.toThrow(SourceChangedError);
    await expect(pagesOf(ask, { to: page?.position })).rejects.toThrow(SourceChangedError);
  });

  it.each([true, false])(
    "refuses a file that loses bytes meanwhile, append_only: %s",
    async (append_only) => {
      const { ask, path } = await askFor('{"a":1}\n'.repeat(200_000), { append_only });
      const pages = jsonl.read({ ...ask, pageRowsMax: 10 })[Symbol.asyncIterator]();
      await pages.next();
      await truncate(path, 8);
      const rest = async (): Promise<void> => {
        while ((await pages.next()).done !== true);
      };
      await expect(rest()).rejects.toThrow(SourceChangedError);
    },
  );
});
