import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { checkCsv, columnsOfCsv, measureCsv } from "../../../connectors/csv/check.ts";
import { ConfigError } from "../../../src/errors.ts";
import { configOf, keptLog, readAll, withFolder } from "./support.ts";

const ask = { signal: new AbortController().signal, log: keptLog() };

describe("checkCsv", () => {
  it("says of each file what it is read as, or why it cannot be", async () => {
    const gzip = gzipSync("id|name\n");
    const files = {
      "a.csv": "id,name\n1,2\n",
      "b.csv": gzip,
      "c.csv": "id,id\n",
      "d.csv": "PK\u0003\u0004",
    };
    await withFolder(files, async (folder) => {
      const findings = await checkCsv({ ...ask, config: configOf(folder, { path: "*.csv" }) });
      expect(findings).toEqual([
        { name: "a.csv", ok: true, detail: '2 columns, delimiter ",", utf-8, 12 bytes' },
        {
          name: "b.csv",
          ok: true,
          detail: `2 columns, delimiter "|", utf-8, ${gzip.length} bytes of gzip`,
        },
        {
          name: "c.csv",
          ok: false,
          detail: 'c.csv:1: the header line cannot be used: columns 1, 2 share the name "id"',
          fix: "Give each column its own. If the first line is a row, name the columns: columns: [id, name].",
        },
        {
          name: "d.csv",
          ok: false,
          detail: "d.csv is a zip archive, as an .xlsx workbook is too",
          fix: "Unpack it, or save the sheet as CSV.",
        },
      ]);
    });
  });

  it("says that there is no file", async () => {
    await withFolder({ "b.csv": "" }, async (folder) => {
      expect(await checkCsv({ ...ask, config: configOf(folder) })).toEqual([
        {
          name: "a.csv",
          ok: false,
          detail: "a.csv does not exist",
          fix: "The folder holds b.csv.",
        },
      ]);
    });
  });

  it("says that a header line is still being written", async () => {
    await withFolder({ "a.csv": "id" }, async (folder) => {
      const findings = await checkCsv({ ...ask, config: configOf(folder, { append_only: true }) });
      expect(findings).toEqual([
        { name: "a.csv", ok: true, detail: "the header line is still being written" },
      ]);
    });
  });
});

describe("columnsOfCsv", () => {
  it("names the columns that all files have", async () => {
    const files = { "a.csv": "id,name,old\n", "b.csv": "new;name;id\n" };
    await withFolder(files, async (folder) => {
      expect(await columnsOfCsv({ ...ask, config: configOf(folder, { path: "*.csv" }) })).toEqual([
        "id",
        "name",
      ]);
      expect(
        await columnsOfCsv({ ...ask, config: configOf(folder, { columns: ["x", "y"] }) }),
      ).toEqual(["x", "y"]);
    });
  });

  it("passes over append-only files without a header line, unless there is no other", async () => {
    await withFolder({ "a.csv": "i", "b.csv": "id\n" }, async (folder) => {
      const config = configOf(folder, { path: "*.csv", append_only: true });
      expect(await columnsOfCsv({ ...ask, config })).toEqual(["id"]);
      const none = columnsOfCsv({ ...ask, config: { ...config, path: "a.csv" } });
      await expect(none).rejects.toThrow(ConfigError);
    });
  });
});

describe("measureCsv", () => {
  it("counts the bytes of a span", async () => {
    await withFolder({ "a.csv": "id\n1\n2\n", "b.csv": "id\n3\n" }, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      expect(await measureCsv({ ...ask, config })).toEqual({ bytes: 12, exact: true });
      const { positions } = await readAll(config, { pageRowsMax: 1 });
      const bytes = await Promise.all(
        positions.map(async (from) => await measureCsv({ ...ask, config, from })),
      );
      expect(bytes.map((one) => one.bytes)).toEqual([7, 5, 0]);
      expect(await measureCsv({ ...ask, config, to: positions[0] })).toEqual({
        bytes: 5,
        exact: true,
      });
    });
  });

  it("estimates what is left of a gzip file", async () => {
    const gzip = gzipSync("id\n1\n2\n");
    await withFolder({ "a.csv": gzip }, async (folder) => {
      const config = configOf(folder);
      const [from] = (await readAll(config, { pageRowsMax: 1 })).positions;
      expect(await measureCsv({ ...ask, config })).toEqual({ bytes: gzip.length, exact: true });
      expect(await measureCsv({ ...ask, config, from })).toEqual({
        bytes: gzip.length,
        exact: false,
      });
    });
  });
});
