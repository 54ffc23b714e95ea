import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { numbers } from "../../support/sequences.ts";
import { configOf, keptLog, readAll, withFolder } from "./support.ts";

describe("readCsv of append-only files", () => {
  it("leaves the last line of an append-only file until it is whole", async () => {
    await withFolder({ "a.csv": "id,name\n1,a\n2," }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      const first = await readAll(config);
      expect(first.items).toEqual(['a.csv:2 {"id":"1","name":"a"}']);
      await appendFile(join(folder, "a.csv"), "b\r");
      expect((await readAll(config, { from: first.positions.at(-1) })).items).toEqual([]);
      await appendFile(join(folder, "a.csv"), "\n");
      const second = await readAll(config, { from: first.positions.at(-1) });
      expect(second.items).toEqual(['a.csv:3 {"id":"2","name":"b"}']);
      expect((await readAll(config, { from: second.positions.at(-1) })).items).toEqual([]);
    });
  });

  it("reads up to a position again, where its last row ends with a lone CR", async () => {
    await withFolder({ "a.csv": "id\r1\r2\r" }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      const { items, positions } = await readAll(config);
      expect(items).toEqual(['a.csv:2 {"id":"1"}']);
      expect((await readAll(config, { to: positions[0] })).items).toEqual(items);
    });
  });

  it("says that an append-only file waits for a quote", async () => {
    await withFolder({ "a.csv": 'id,name\n1,a\n2,"b\n3,c\n' }, async (folder) => {
      const log = keptLog();
      const { items } = await readAll(configOf(folder, { append_only: true }), { log });
      expect(items).toHaveLength(1);
      expect(log.lines).toEqual([
        'a quoted field is still open, and the rows after it wait {"where":"a.csv:3"}',
      ]);
    });
  });

  it("goes on where it was when the path is written otherwise", async () => {
    await withFolder({ "a.csv": "id\n1\n" }, async (folder) => {
      const member = { append_only: true };
      let from = (await readAll(configOf(folder, member))).positions.at(-1);
      for (const [row, path] of ["./a.csv", join(folder, "a.csv"), "*.csv", "./*.csv"].entries()) {
        await appendFile(join(folder, "a.csv"), `new-${row}\n`);
        const { items, positions } = await readAll(configOf(folder, { ...member, path }), { from });
        expect(items.map((item) => item.split(" ")[1])).toEqual([`{"id":"new-${row}"}`]);
        from = positions.at(-1);
      }
      expect(from).toMatchObject({ files: [{ file: "./a.csv", line: 7 }] });
      expect(from).toHaveProperty("files.length", 1);
    });
  });

  it("puts small files together to pages, because each position names all of them", async () => {
    const files = numbers(100).map((file): [string, string] => {
      const rows = numbers(file === 60 ? 150 : 3).map(
        (row) => `${file}-${row},${row === 1 ? '"x"y' : "n"}\n`,
      );
      return [`${1_000 + file}.csv`, `id,name\n${rows.join("")}`];
    });
    await withFolder(Object.fromEntries(files), async (folder) => {
      const config = configOf(folder, { path: "*.csv", append_only: true });
      const whole = await readAll(config);
      // 33 files of 3 rows, 27 more, 100 and 50 rows of the large one, then 16 files with these 50, and the rest.
      expect(whole.reach).toEqual([99, 180, 280, 378, 447]);
      expect(whole.items.slice(0, 3)).toEqual([
        '1000.csv:2 {"id":"0-0","name":"n"}',
        '1000.csv:4 {"id":"0-2","name":"n"}',
        '1001.csv:2 {"id":"1-0","name":"n"}',
      ]);
      expect(new Set(whole.items).size).toBe(447);
      expect(whole.items).toContain("1060.csv:3 stray_quote");
      for (const [page, from] of whole.positions.entries()) {
        const rest = await readAll(config, { from });
        expect(rest.items).toEqual(whole.items.slice(whole.reach[page]));
      }
      expect((await readAll(config, { limit: 10 })).items).toHaveLength(10);
    });
  });

  it("puts no more bytes together than a page may have", async () => {
    const row = `1,${"n".repeat(900_000)}\n`;
    const files = numbers(12).map((file): [string, string] => [
      `${100 + file}.csv`,
      `id,n\n${row}`,
    ]);
    await withFolder(Object.fromEntries(files), async (folder) => {
      const config = configOf(folder, { path: "*.csv", append_only: true });
      expect((await readAll(config)).reach).toEqual([9, 12]);
    });
  });

  it("keeps the marks of append-only files that are gone", async () => {
    await withFolder({ "a.csv": "id\n1\n", "b.csv": "id\n2\n" }, async (folder) => {
      const config = configOf(folder, { path: "*.csv", append_only: true });
      const from = (await readAll(config)).positions.at(-1);
      await rename(join(folder, "a.csv"), join(folder, "a.bak"));
      await appendFile(join(folder, "b.csv"), "3\n");
      const next = await readAll(config, { from });
      await rename(join(folder, "a.bak"), join(folder, "a.csv"));
      expect(next.items).toEqual(['b.csv:3 {"id":"3"}']);
      expect((await readAll(config, { from: next.positions.at(-1) })).items).toEqual([]);
    });
  });
});
