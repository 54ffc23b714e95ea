import { appendFile, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Got } from "../../../connectors/contract/connector.ts";
import { getCsv } from "../../../connectors/csv/get.ts";
import type { CsvRow } from "../../../connectors/csv/parse/row.ts";
import type { CsvPosition } from "../../../connectors/csv/position.ts";
import { readCsv } from "../../../connectors/csv/read.ts";
import { SourceChangedError } from "../../../src/errors.ts";
import { configOf, keptLog, pagesOf, withFolder } from "./support.ts";

const text = 'id,name\na,Anne\nb,"Bo\nb"\nragged\nc,Cy\n';

type Asked = {
  readonly folder: string;
  readonly names: readonly string[];
  readonly members?: object;
  readonly from?: CsvPosition | undefined;
  readonly to?: CsvPosition | undefined;
};

async function get({ folder, names, members, from, to }: Asked): Promise<Got<CsvRow>> {
  const { signal } = new AbortController();
  return await getCsv({
    config: configOf(folder, members),
    signal,
    log: keptLog(),
    names,
    from,
    to,
  });
}

function found({ rows, where, rejects = [], missing }: Got<CsvRow>): object {
  return {
    rows: rows.map((row, index) => [where(index), row["id"]]),
    rejects: rejects.map((reject) => reject.where),
    missing,
  };
}

/** The position after the last page of a read. */
async function endOf(folder: string, members: object = {}): Promise<CsvPosition | undefined> {
  return (await pagesOf(configOf(folder, members))).at(-1)?.position;
}

describe("getCsv", () => {
  it("reads the rows that begin on lines, whatever else is asked for", async () => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const names = [
        "a.csv:6",
        "a.csv:2",
        "a.csv:3",
        "a.csv:5",
        "a.csv:4",
        "b.csv:2",
        "a",
        "a.csv:9",
      ];
      expect(found(await get({ folder, names }))).toEqual({
        rows: [
          ["a.csv:2", "a"],
          ["a.csv:3", "b"],
          ["a.csv:6", "c"],
        ],
        rejects: ["a.csv:5"],
        missing: ["a.csv:4", "b.csv:2", "a", "a.csv:9"],
      });
    });
  });

  it("says how many of the rows that it found come before a reject", async () => {
    await withFolder({ "a.csv": text, "b.csv": text }, async (folder) => {
      const names = ["a.csv:2", "a.csv:5", "a.csv:6", "b.csv:3", "b.csv:5"];
      const { rejects = [] } = await get({ folder, names, members: { path: "*.csv" } });
      expect(rejects.map(({ where, rowsBefore }) => [where, rowsBefore])).toEqual([
        ["a.csv:5", 1],
        ["b.csv:5", 3],
      ]);
    });
  });

  it("keeps in a span the names of then, where the path is written otherwise now", async () => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const to = await endOf(folder, { append_only: true });
      const names = ["a.csv:5", "a.csv:6", "a.csv:4"];
      for (const path of ["./a.csv", join(folder, "a.csv")]) {
        const members = { append_only: true, path };
        expect(found(await get({ folder, names, members, to }))).toEqual({
          rows: [["a.csv:6", "c"]],
          rejects: ["a.csv:5"],
          missing: ["a.csv:4"],
        });
      }
    });
  });

  it("finds a row after the first page, and reads no further", async () => {
    const rows = Array.from({ length: 2_500 }, (_, row) => `r${row},n`);
    await withFolder({ "a.csv": ["id,name", ...rows, 'x,"open'].join("\n") }, async (folder) => {
      expect(found(await get({ folder, names: ["a.csv:1302"] }))).toMatchObject({
        rows: [["a.csv:1302", "r1300"]],
      });
    });
  });

  it("finds them within the span in which they were named", async () => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const to = await endOf(folder);
      expect(found(await get({ folder, names: ["a.csv:6"], to }))).toMatchObject({
        rows: [["a.csv:6", "c"]],
      });
      expect(found(await get({ folder, names: ["a.csv:6"], from: to, to }))).toMatchObject({
        missing: ["a.csv:6"],
      });
    });
  });

  it.each([
    ["longer", async (file: string) => await appendFile(file, "d,Di\n")],
    ["of another time", async (file: string) => await utimes(file, 1, 1)],
    [
      "another file",
      async (file: string) => {
        await writeFile(`${file}.new`, text);
        await rename(`${file}.new`, file);
      },
    ],
  ])("refuses a file that is %s than the one of the span", async (_, change) => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const to = await endOf(folder);
      await change(join(folder, "a.csv"));
      await expect(get({ folder, names: ["a.csv:2"], to })).rejects.toThrow(SourceChangedError);
    });
  });

  it("refuses when a file was read before the one that the span ends in, and has changed", async () => {
    const files = { "a.csv": text, "b.csv": text, "c.csv": text };
    const members = { path: "*.csv" };
    await withFolder(files, async (folder) => {
      const to = await endOf(folder, members);
      const names = ["a.csv:2", "c.csv:6"];
      expect(found(await get({ folder, names, members, to }))).toMatchObject({
        rows: [
          ["a.csv:2", "a"],
          ["c.csv:6", "c"],
        ],
      });
      await appendFile(join(folder, "b.csv"), "d,Di\n");
      await expect(get({ folder, names, members, to })).rejects.toThrow(
        "c.csv follows other files",
      );
    });
  });

  it("keeps the files before in mind when a read continues in the middle", async () => {
    const members = { path: "*.csv" };
    await withFolder({ "a.csv": text, "b.csv": text, "c.csv": text }, async (folder) => {
      const config = configOf(folder, members);
      const [first, , last] = await pagesOf(config);
      const { signal } = new AbortController();
      const rest = { config, signal, log: keptLog(), pageRowsMax: 100, from: first?.position };
      const positions: unknown[] = [];
      for await (const page of readCsv(rest)) positions.push(page.position);
      expect(positions.at(-1)).toEqual(last?.position);
      const span = { from: first?.position, to: last?.position };
      expect(found(await get({ folder, names: ["c.csv:2"], members, ...span }))).toMatchObject({
        rows: [["c.csv:2", "a"]],
      });
    });
  });

  it("reads of an append-only file what was covered then, however much it has grown", async () => {
    const members = { append_only: true };
    await withFolder({ "a.csv": text }, async (folder) => {
      const to = await endOf(folder, members);
      const file = join(folder, "a.csv");
      await appendFile(file, "d,Di\n");
      const names = ["a.csv:6", "a.csv:7"];
      expect(found(await get({ folder, names, members, to }))).toMatchObject({
        rows: [["a.csv:6", "c"]],
        missing: ["a.csv:7"],
      });
      await writeFile(file, `${text.replace("Cy", "Xy")}d,Di\n`);
      await expect(get({ folder, names: ["a.csv:2"], members, to })).rejects.toThrow(
        SourceChangedError,
      );
    });
  });
});
