import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

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
        'a quoted field is still open, and what follows it waits {"where":"a.csv:3"}',
      ]);
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
