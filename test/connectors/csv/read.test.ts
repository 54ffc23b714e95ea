import { describe, expect, it } from "vitest";

import { csv } from "../../../connectors/csv/index.ts";
import { readCsv } from "../../../connectors/csv/read.ts";
import { pageRowsMax, rejectRowCharsMax } from "../../../src/limits.ts";
import { configOf, keptLog, pagesOf, readAll, withFolder } from "./support.ts";

const ask = { signal: new AbortController().signal, log: keptLog(), pageRowsMax: 100 };

/** A file of more than two blocks. */
const large = `id,name\n${"12345,abc\n".repeat(150_000)}`;

describe("csv", () => {
  it("starts over in each run unless files only grow", () => {
    expect(csv.restart?.({ append_only: false })).toBe("each-run");
    expect(csv.restart?.({ append_only: true })).toBe("resume");
  });
});

describe("readCsv", () => {
  it("yields rows and rejects with their places, across files in the order of their paths", async () => {
    const files = { "b.csv": "id;name\n3;c\n", "a.csv": 'id,name\n1,"a\nb"\n2\n\n4,d' };
    await withFolder(files, async (folder) => {
      const log = keptLog();
      const { items } = await readAll(configOf(folder, { path: "./*.csv" }), { log });
      expect(items).toEqual([
        './a.csv:2 {"id":"1","name":"a\\nb"}',
        './a.csv:6 {"id":"4","name":"d"}',
        "./a.csv:4 ragged_row",
        './b.csv:2 {"id":"3","name":"c"}',
      ]);
      expect(log.lines).toEqual(['blank lines were passed over {"file":"./a.csv","lines":1}']);
    });
  });

  it("says of a reject what is wrong and keeps its text, up to a limit", async () => {
    const long = "é".repeat(rejectRowCharsMax + 1);
    const ragged = { code: "ragged_row", reason: "expected 2 fields, got 1", rowsBefore: 0 };
    await withFolder({ "a.csv": `id,name\n1\n5",b\n${long}y\n` }, async (folder) => {
      const pages = await pagesOf(configOf(folder));
      expect(pages.flatMap((page) => page.rejects)).toEqual([
        { where: "a.csv:2", ...ragged, row: "1" },
        {
          where: "a.csv:3",
          code: "stray_quote",
          reason:
            "a quote is inside an unquoted field or before the end of a quoted one; inside " +
            "quotes it must be doubled",
          row: '5",b',
          rowsBefore: 0,
        },
        { where: "a.csv:4", ...ragged, row: long },
      ]);
    });
  });

  it.each([
    [true, [[1, 3, 5]]],
    [false, [[1], [1, 3]]],
  ])(
    "says how many rows of the page come before a reject, with append_only: %s",
    async (isAppended, expected) => {
      const files = {
        "a.csv": "id,name\n1,a\nx\n2,b\n",
        "b.csv": "id,name\n3,c\ny\n4,d\n5,e\nz\n",
      };
      await withFolder(files, async (folder) => {
        const members = { path: "*.csv", append_only: isAppended };
        const pages = await pagesOf(configOf(folder, members));
        const before = pages.map(({ rejects = [] }) => rejects.map(({ rowsBefore }) => rowsBefore));
        expect(before).toEqual(expected);
      });
    },
  );

  it("fills pages to the limit and no further", async () => {
    const text = `id\n${'1\n5"\n'.repeat(pageRowsMax)}`;
    await withFolder({ "a.csv": text }, async (folder) => {
      for (const max of [pageRowsMax - 1, pageRowsMax, 1]) {
        const { reach } = await readAll(configOf(folder), { pageRowsMax: max });
        const full = Math.floor((2 * pageRowsMax) / max);
        const ends = Array.from({ length: full }, (_, index) => (index + 1) * max);
        expect(reach).toEqual(ends.at(-1) === 2 * pageRowsMax ? ends : [...ends, 2 * pageRowsMax]);
      }
    });
  });

  it("reads files side by side as it reads them one after the other", async () => {
    const ids = ["12345", "67890", "abcde"];
    const files = ids.map(
      (id) => [`${id}.csv`, `id,name\n${`${id},${id}\n`.repeat(90_000)}`] as const,
    );
    await withFolder(Object.fromEntries(files), async (folder) => {
      const rowsOf = async (id: string): Promise<ReadonlySet<string>> => {
        const found = new Set<string>();
        const config = configOf(folder, { path: `${id}.csv` });
        for await (const page of readCsv({ ...ask, config })) {
          for (const row of page.rows) found.add(JSON.stringify(row));
          page.cells?.release?.();
        }
        return found;
      };
      const expected = ids.map((id) => new Set([JSON.stringify({ id, name: id })]));
      // The first time there is no memory left over from others.
      for (const _ of [1, 2]) expect(await Promise.all(ids.map(rowsOf))).toEqual(expected);
    });
  });

  it("fills a page no further behind a reject in it", async () => {
    const text = `id\n1\n5"\n${"1\n".repeat(8)}`;
    await withFolder({ "a.csv": text }, async (folder) => {
      const { reach } = await readAll(configOf(folder), { pageRowsMax: 4 });
      expect(reach).toEqual([4, 8, 10]);
    });
  });

  it("yields no page for a header line alone", async () => {
    await withFolder({ "a.csv": "id,name\n" }, async (folder) => {
      expect((await readAll(configOf(folder))).positions).toEqual([]);
    });
  });

  it("stops once it has as many rows as are wanted", async () => {
    await withFolder({ "a.csv": "id\n1\n2\n3\n", "b.csv": "id\n4\n5\n" }, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      expect((await readAll(config, { limit: 2 })).items).toHaveLength(2);
      expect((await readAll(config, { limit: 4 })).items).toHaveLength(4);
    });
  });

  it("stops with the reason of the signal", async () => {
    await withFolder({ "a.csv": large }, async (folder) => {
      const controller = new AbortController();
      const reason = new Error("cancelled");
      const reading = async (): Promise<void> => {
        const pages = readCsv({ ...ask, config: configOf(folder), signal: controller.signal });
        for await (const _ of pages) controller.abort(reason);
      };
      await expect(reading()).rejects.toBe(reason);
    });
  });

  it("names the file and the line of a quote that is never closed, after the pages before it", async () => {
    await withFolder({ "a.csv": 'id,name\n1,a\n2,"b\n3,c\n' }, async (folder) => {
      const places: string[] = [];
      const reading = async (): Promise<void> => {
        for await (const page of readCsv({ ...ask, config: configOf(folder), pageRowsMax: 1 })) {
          places.push(page.where(0));
        }
      };
      await expect(reading()).rejects.toMatchObject({
        code: "ConfigError",
        message: "a.csv:3: a quote opened on this line is never closed",
        field: "quote",
      });
      expect(places).toEqual(["a.csv:2"]);
    });
  });
});
