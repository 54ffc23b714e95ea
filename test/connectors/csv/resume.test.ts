import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { hashedBytes } from "../../../connectors/csv/limits.ts";
import { csvPosition } from "../../../connectors/csv/position.ts";
import { ConfigError } from "../../../src/errors.ts";
import { isProving, trials } from "../../support/trials.ts";
import { configOf, readAll, withFolder } from "./support.ts";

describe("a position of readCsv", () => {
  const field = fc.constantFrom("", "a", "é東", '"x,y"', '"2\nlines"', '"say ""hi"""', '5"');
  const fileText = fc
    .array(
      fc.tuple(
        fc.array(field, { minLength: 2, maxLength: 3 }),
        fc.constantFrom("\n", "\r\n", "\r", "\n\n"),
      ),
      { maxLength: 8 },
    )
    .map(
      (rows) => `id,name\n${rows.map(([fields, lineEnd]) => fields.join(",") + lineEnd).join("")}`,
    );
  const stores = {
    "utf-8": (text: string) => Buffer.from(text),
    "utf-16": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
    gzip: (text: string) => gzipSync(text),
  };

  it.each(["utf-8", "utf-16", "gzip"] as const)(
    "resumes %s behind any page with exactly the rest",
    async (store) => {
      await fc.assert(
        fc.asyncProperty(
          fileText,
          fileText,
          fc.integer({ min: 1, max: 4 }),
          async (one, two, max) => {
            const files = { "a.csv": stores[store](one), "b.csv": stores[store](two) };
            await withFolder(files, async (folder) => {
              const config = configOf(folder, { path: "*.csv" });
              const whole = await readAll(config, { pageRowsMax: max });
              for (const [index, position] of whole.positions.entries()) {
                const saved = csvPosition.parse(JSON.parse(JSON.stringify(position)));
                const rest = await readAll(config, { from: saved, pageRowsMax: max });
                const before = await readAll(config, { to: saved, pageRowsMax: max });
                expect(rest.items).toEqual(whole.items.slice(whole.reach[index]));
                expect(rest.positions).toEqual(whole.positions.slice(index + 1));
                expect(before.items).toEqual(whole.items.slice(0, whole.reach[index]));
              }
            });
          },
        ),
        { numRuns: trials(2) },
      );
    },
  );

  it("resumes an append-only source behind any page, and reads what was added wherever that was", async () => {
    await fc.assert(
      fc.asyncProperty(
        fileText,
        fileText,
        fc.integer({ min: 1, max: 4 }),
        async (one, two, max) => {
          await withFolder({ "a.csv": one, "b.csv": two }, async (folder) => {
            const config = configOf(folder, { path: "*.csv", append_only: true });
            const whole = await readAll(config, { pageRowsMax: max });
            await appendFile(join(folder, "a.csv"), "\nx,y\n");
            await writeFile(join(folder, "0.csv"), "id,name\nnew,file\n");
            const after = await readAll(config, { pageRowsMax: max });
            for (const [index, position] of whole.positions.entries()) {
              const rest = await readAll(config, {
                from: csvPosition.parse(position),
                pageRowsMax: max,
              });
              const covered = new Set(whole.items.slice(0, whole.reach[index]));
              expect(rest.items.toSorted()).toEqual(
                after.items.filter((item) => !covered.has(item)).toSorted(),
              );
            }
          });
        },
      ),
      { numRuns: trials(2) },
    );
  });

  it("names the very byte and line at which the next page begins, however large the file", async () => {
    const rows = isProving ? 300_000 : 60_000;
    const pageRowsMax = rows / 6;
    const lines = Array.from({ length: rows }, (_, id) => `${id},"é\n${id % 7}"\n`);
    const bytes = Buffer.from(`id,name\n${lines.join("")}`);
    await withFolder({ "a.csv": bytes }, async (folder) => {
      const config = configOf(folder);
      const { positions } = await readAll(config, { pageRowsMax });
      for (const [index, position] of positions.entries()) {
        const offset = "offset" in position ? position.offset : -1;
        const id = (index + 1) * pageRowsMax;
        expect(position).toMatchObject({ line: 2 + 2 * id });
        const next = Buffer.from(lines.slice(id, id + 4).join("")).subarray(0, 20);
        expect(bytes.subarray(offset, offset + 20)).toEqual(next);
        const rest = await readAll(config, { from: position, pageRowsMax });
        expect(rest.positions).toEqual(positions.slice(index + 1));
      }
    });
  });

  it("ends with the file, also where half a character of UTF-16 is left", async () => {
    const little = Buffer.from(`\ufeffid\n1\n${"\n".repeat(hashedBytes)}2\n`, "utf16le");
    for (const whole of [little, Buffer.from(little).swap16()]) {
      const bytes = whole.subarray(0, -1);
      await withFolder({ "a.csv": bytes }, async (folder) => {
        const { items, positions } = await readAll(configOf(folder));
        const place = `a.csv:${3 + hashedBytes}`;
        expect(items).toEqual(['a.csv:2 {"id":"1"}', `${place} invalid_encoding`]);
        expect(positions).toMatchObject([{ offset: bytes.length }]);
        expect((await readAll(configOf(folder), { from: positions[0] })).items).toEqual([]);
      });
    }
  });

  it("does not resume from a position of the other setting of append_only", async () => {
    await withFolder({ "a.csv": "id\n1\n" }, async (folder) => {
      for (const [made, used] of [
        [true, false],
        [false, true],
      ]) {
        const from = (await readAll(configOf(folder, { append_only: made }))).positions[0];
        const resumed = readAll(configOf(folder, { append_only: used }), { from });
        await expect(resumed).rejects.toThrow(ConfigError);
      }
    });
  });
});
