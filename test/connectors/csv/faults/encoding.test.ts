import { describe, expect, it } from "vitest";

import { csvConfig } from "../../../../connectors/csv/config.ts";
import { pagesOf, configOf, readContent, withFolder } from "../support.ts";

const text = "id,name\n1,Zoë\n2,東京\n";
const items = ['a.csv:2 {"id":"1","name":"Zoë"}', 'a.csv:3 {"id":"2","name":"東京"}'];

/** `id,name`, then a row with 日本 in Shift-JIS, then a valid one. */
const shiftJis = Buffer.from("id,name\n1,\x93\xfa\x96\x7b\n2,b\n", "latin1");

async function reasonsOf(content: Uint8Array, members: object = {}): Promise<readonly string[]> {
  return await withFolder({ "a.csv": content }, async (folder) => {
    const pages = await pagesOf(configOf(folder, members));
    return pages
      .flatMap((page) => page.rejects ?? [])
      .map(({ where, reason }) => `${where} ${reason}`);
  });
}

describe("a file in some encoding", () => {
  it("is read without its byte order mark", async () => {
    expect(await readContent(`\ufeff${text}`)).toEqual({ items });
  });

  it.each(["little", "big"] as const)("is read in UTF-16, %s end first", async (end) => {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    expect(await readContent(end === "big" ? bytes.swap16() : bytes)).toEqual({ items });
  });

  it.each(["utf-16le", "utf-16be"] as const)(
    "is read in %s without a mark when that is set",
    async (encoding) => {
      const bytes = Buffer.from(text, "utf16le");
      const content = encoding === "utf-16be" ? bytes.swap16() : bytes;
      expect(await readContent(content, { encoding })).toEqual({ items });
    },
  );

  it("stops in UTF-16 that nothing announces, before the first row", async () => {
    expect(await readContent(Buffer.from(text, "utf16le"))).toEqual({
      items: [],
      error: "ConfigError: a.csv:1: the header line cannot be used: a field holds a NUL",
    });
  });

  it("is read in Latin-1 when windows-1252 is set, and refused row by row when not", async () => {
    const latin1 = Buffer.from("id,name\n1,Zoë\n2,b\n", "latin1");
    expect(await readContent(latin1, { encoding: "windows-1252" })).toEqual({
      items: [items[0], 'a.csv:3 {"id":"2","name":"b"}'],
    });
    expect(await readContent(latin1)).toEqual({
      items: ['a.csv:3 {"id":"2","name":"b"}', "a.csv:2 invalid_encoding"],
    });
  });

  it("is refused row by row in Shift-JIS, which no setting reads, and never read as garbage", async () => {
    expect(await readContent(shiftJis)).toEqual({
      items: ['a.csv:3 {"id":"2","name":"b"}', "a.csv:2 invalid_encoding"],
    });
    const { error } = csvConfig.safeParse({ path: "a.csv", encoding: "shift_jis" });
    expect(error?.issues[0]?.message).toContain('"utf-8"|"utf-16le"|"utf-16be"|"windows-1252"');
  });

  it("is told the very byte that does not belong to it", async () => {
    expect(await reasonsOf(shiftJis)).toEqual(["a.csv:2 byte 10 is not utf-8"]);
    const marked = Buffer.concat([Buffer.from("\ufeff"), shiftJis]);
    expect(await reasonsOf(marked)).toEqual(["a.csv:2 byte 13 is not utf-8"]);
    const far = Buffer.concat([
      Buffer.from(`id,name\n${"1,b\n".repeat(300_000)}`),
      Buffer.from([0x31, 0x2c, 0xff, 0x0a]),
    ]);
    expect(await reasonsOf(far)).toEqual(["a.csv:300002 byte 1200010 is not utf-8"]);
  });

  it("stops before the first row when the bad byte is in the header line", async () => {
    const content = Buffer.from("id,né\n1,2\n", "latin1");
    expect(await readContent(content)).toEqual({
      items: [],
      error: "ConfigError: a.csv:1: the header line cannot be used: byte 4 is not utf-8",
    });
  });

  it("is refused row by row where a field holds a NUL", async () => {
    expect(await readContent('id,name\n1,a\0b\n2,b\n3,"\0"\n')).toEqual({
      items: ['a.csv:3 {"id":"2","name":"b"}', "a.csv:2 nul_byte", "a.csv:4 nul_byte"],
    });
  });
});
