import { expect, it } from "vitest";

import { beforeCsv } from "../../../connectors/csv/before.ts";
import { checkCsv } from "../../../connectors/csv/check.ts";
import { splitCsv } from "../../../connectors/csv/parse/split.ts";
import { ConfigError } from "../../../src/errors.ts";
import { configOf, keptLog, readAll, withFolder } from "./support.ts";

const ask = { signal: new AbortController().signal, log: keptLog() };
const files = { "a-1.csv": "id\n1\n2\n", "a-2.csv": "id\n3\n4\n", "b.csv": "id\n5\n6\n" };
const newestFirst = { path: "a-*.csv", first_wins: true };

it(
  "where the first row of a key wins, the last file by path is read first, and a read continues " +
    "from anywhere",
  async () => {
    await withFolder(files, async (folder) => {
      const config = configOf(folder, newestFirst);
      const { items, positions } = await readAll(config, { pageRowsMax: 1 });
      expect(items).toHaveLength(4);
      expect(items[0]).toContain("3");
      for (const [index, from] of positions.entries()) {
        const rest = await readAll(config, { from, pageRowsMax: 1 });
        expect(rest.items).toEqual(items.slice(index + 1));
      }
      // An append-only file is read in the order in which it was appended to.
      const appended = await readAll(configOf(folder, { ...newestFirst, append_only: true }), {});
      expect(appended.items[0]).toContain("1");
    });
  },
);

it("several files in which the newest wins are one lane, one file is cut", async () => {
  await withFolder(files, async (folder) => {
    const parts = async (members: object): Promise<number> =>
      (await splitCsv({ ...ask, config: configOf(folder, members), parts: 2 })).length;
    expect(await parts(newestFirst)).toBe(1);
    expect(await parts({ path: "a-*.csv" })).toBe(2);
    expect(await parts({ ...newestFirst, path: "b.csv" })).toBe(2);
  });
});

it("a span whose ends are the wrong way round is refused, and not empty", async () => {
  await withFolder(files, async (folder) => {
    const config = configOf(folder, newestFirst);
    const [from, to] = await Promise.all(
      ["a-1.csv:2", "a-2.csv:3"].map(async (place) => await beforeCsv({ ...ask, config, place })),
    );
    const refused = readAll(config, { from, to });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toMatchObject({
      message: "the span ends before it begins: a-2.csv is read before a-1.csv",
      hint: "Swap from and to: a-2.csv is read first.",
    });
    expect((await readAll(config, { from: to, to: from })).items).toHaveLength(1);
  });
});

it("check says which file wins where several match", async () => {
  await withFolder(files, async (folder) => {
    const orders = async (members: object): Promise<readonly (string | undefined)[]> =>
      (await checkCsv({ ...ask, config: configOf(folder, members) }))
        .filter(({ name }) => name === "order of files")
        .map(({ detail }) => detail);
    expect(await orders(newestFirst)).toEqual([
      "when a key is in several of 2 files the newest wins, which is the last by path: a-2.csv is read first, " +
        "and a row of a key that was read before is rejected (duplicate_key)",
    ]);
    expect(await orders({ ...newestFirst, path: "b.csv" })).toEqual([]);
    expect(await orders({ ...newestFirst, append_only: true })).toEqual([]);
  });
});
