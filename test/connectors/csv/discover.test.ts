import { describe, expect, it } from "vitest";

import { discoverCsv } from "../../../connectors/csv/discover.ts";
import { configOf, keptLog, withFolder } from "./support.ts";

const ask = { signal: new AbortController().signal, log: keptLog(), max: 10 };

const text = (name: string): object => ({ name, type: "string" });

describe("discoverCsv", () => {
  it("takes files of the same columns for one thing to read", async () => {
    const files = { "a-1.csv": "id,name\n1,x\n", "a-2.csv": "id,name\n2,y\n" };
    await withFolder(files, async (folder) => {
      expect(await discoverCsv({ ...ask, config: configOf(folder, { path: "a-*.csv" }) })).toEqual([
        { name: "a-*.csv", from: {}, columns: [text("id"), text("name")], key: ["id"] },
      ]);
    });
  });

  it("tells files of other columns apart, at most so many as asked for", async () => {
    const files = { "a.csv": "id\n1\n", "b.csv": "x\n1\n", "c.csv": "y\n1\n" };
    await withFolder(files, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      const found = await discoverCsv({ ...ask, config });
      expect(found.map(({ name, from }) => [name, from])).toEqual([
        ["a.csv", { path: "a.csv" }],
        ["b.csv", { path: "b.csv" }],
        ["c.csv", { path: "c.csv" }],
      ]);
      const names = (max: number): Promise<string[]> =>
        discoverCsv({ ...ask, config, max }).then((all) => all.map(({ name }) => name));
      expect(await names(2)).toEqual(["a.csv", "b.csv"]);
      expect(await names(3)).toEqual(["a.csv", "b.csv", "c.csv"]);
    });
  });

  it("finds the key by its name, where each row has one of its own", async () => {
    const keys = {
      "name,account_id\nx,1\nx,2\n": ["account_id"],
      "owner_id,accountId\n1,1\n1,2\n": ["accountId"],
      "id,name\n1,\n,x\n": [],
      "id ,name\n1,x\n": ["id "],
      "id,name\n1,x\n,\n2,y\n,\n": ["id"],
      "Owner,Account ID\nx,1\nx,2\n": ["Account ID"],
      "paid,grid\n1,2\n": [],
      "name,id\n": ["id"],
    };
    for (const [content, key] of Object.entries(keys)) {
      await withFolder({ "a.csv": content }, async (folder) => {
        const [found] = await discoverCsv({ ...ask, config: configOf(folder) });
        expect([content, found?.key]).toEqual([content, key]);
      });
    }
  });

  it("finds nothing while the header line is being written", async () => {
    await withFolder({ "a.csv": "i" }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      expect(await discoverCsv({ ...ask, config })).toEqual([]);
    });
  });
});
