import { appendFileSync } from "node:fs";
import { chmod, readdir, readFile, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import type { Patch, Written } from "../../../connectors/contract/connector.ts";
import { csvConfig } from "../../../connectors/csv/config.ts";
import { columnsMax, leftoverMs } from "../../../connectors/csv/limits.ts";
import { writeCsv } from "../../../connectors/csv/write.ts";
import { ConfigError, messageOf, RetryLater } from "../../../src/errors.ts";
import { rowBytesMax } from "../../../src/limits.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { configOf, keptLog, pagesOf, withFolder } from "./support.ts";

const written: Written = { done: "written" };
const unchanged: Written = { done: "unchanged" };
const missing: Written = { done: "missing" };

function patch(id: JsonValue, fit: JsonValue): Patch {
  return { key: { id }, set: { fit } };
}

async function write(
  folder: string,
  patches: readonly Patch[],
  members: object = {},
): Promise<readonly Written[]> {
  const { signal } = new AbortController();
  const config = csvConfig.parse({ path: "a.csv", folder, file: "scores.csv", ...members });
  return await writeCsv({ config, signal, log: keptLog(), patches });
}

async function scores(folder: string): Promise<string> {
  return await readFile(join(folder, "scores.csv"), "utf8");
}

describe("writeCsv", () => {
  it("tries again later where someone edits the file while it is read", async () => {
    await withFolder({ "scores.csv": "id,fit\na,1\n" }, async (folder) => {
      const { signal } = new AbortController();
      const edited = vi.spyOn(signal, "throwIfAborted").mockImplementation(() => {
        appendFileSync(join(folder, "scores.csv"), "b,2\n");
      });
      const config = csvConfig.parse({ path: "a.csv", folder, file: "scores.csv" });
      const patches = [patch("a", 3)];
      const writing = writeCsv({ config, signal, log: keptLog(), patches });
      await expect(writing).rejects.toThrow(RetryLater);
      await expect(writing).rejects.toThrow("scores.csv changed while it was read");
      expect(edited).toHaveBeenCalled();
      expect(await scores(folder)).toMatch(/^id,fit\na,1\n(?:b,2\n)+$/);
    });
  });

  it("makes the file, readable for this user alone", async () => {
    const folder = await temporaryFolder();
    expect(await write(folder, [patch("a", 1), patch("b", 2)])).toEqual([written, written]);
    expect(await scores(folder)).toBe("id,fit\na,1\nb,2\n");
    expect((await stat(join(folder, "scores.csv"))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["scores.csv"]);
  });

  it("merges by key: rows and columns keep their order, what is new is at the end", async () => {
    const files = { "scores.csv": "note,id,fit\nx,a,1\ny,b,2\nz,c,3\n" };
    await withFolder(files, async (folder) => {
      const set = { fit: 20, tier: "gold" };
      const patches = [
        { key: { id: "d" }, set },
        { key: { id: "b" }, set },
      ];
      expect(await write(folder, patches)).toEqual([written, written]);
      expect(await scores(folder)).toBe(
        "note,id,fit,tier\nx,a,1,\ny,b,20,gold\nz,c,3,\n,d,20,gold\n",
      );
    });
  });

  it("leaves a file alone in which nothing changes", async () => {
    const folder = await temporaryFolder();
    const page = [patch("a", null), patch("b", "x"), patch("c", { deep: [1, true] })];
    await write(folder, page);
    const before = await stat(join(folder, "scores.csv"), { bigint: true });
    expect(await write(folder, page)).toEqual([unchanged, unchanged, unchanged]);
    const after = await stat(join(folder, "scores.csv"), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it("makes no row with insert: false, and no file without a row", async () => {
    const insert = false;
    await withFolder({ "scores.csv": "id,fit\na,1\n" }, async (folder) => {
      const patches = [patch("a", 2), patch("b", 2)];
      expect(await write(folder, patches, { insert })).toEqual([written, missing]);
      expect(await scores(folder)).toBe("id,fit\na,2\n");
    });
    const empty = await temporaryFolder();
    expect(await write(empty, [patch("a", 1)], { insert })).toEqual([missing]);
    expect(await readdir(empty)).toEqual([]);
  });

  it("lets the last of two patches of a key win, and answers both", async () => {
    const folder = await temporaryFolder();
    const patches = [patch("a", 1), patch("b", 5), patch("a", 2)];
    expect(await write(folder, patches)).toEqual([written, written, written]);
    expect(await scores(folder)).toBe("id,fit\na,2\nb,5\n");
  });

  it("finds rows by several columns", async () => {
    const folder = await temporaryFolder();
    const keys = [
      ["a,b", "c"],
      ["a", "b,c"],
      ["a", "c"],
    ];
    const page = keys.map(([url = "", event = ""]) => ({ key: { url, event }, set: { n: 1 } }));
    await write(folder, page);
    expect(await scores(folder)).toBe('url,event,n\n"a,b",c,1\na,"b,c",1\na,c,1\n');
    expect(await write(folder, page)).toEqual([unchanged, unchanged, unchanged]);
  });

  it("reads back what it wrote", async () => {
    const texts = [
      '"',
      "a\nb",
      "a\r\nb",
      ",",
      ";",
      " x ",
      "é😀",
      "\uFEFFmark",
      "",
      "''",
      "'=1",
      "=1",
    ];
    for (const delimiter of [",", ";", "tab", '"']) {
      const folder = await temporaryFolder();
      const patches = texts.map((text, row) => patch(`${text}${row}`, text));
      const members = { delimiter, quote: false };
      await write(folder, patches, members);
      const pages = await pagesOf(
        configOf(folder, { path: "scores.csv", delimiter: delimiter === '"' ? "," : delimiter }),
      );
      expect(pages.flatMap(({ rows }) => rows.map((row) => row["fit"]))).toEqual(
        texts.map((text) => (/^'*=/.test(text) ? `'${text}` : text)),
      );
      const again = await write(folder, patches, members);
      expect(again).toEqual(patches.map(() => unchanged));
    }
  });

  it("keeps a spreadsheet from running text, and leaves numbers numbers", async () => {
    const folder = await temporaryFolder();
    await write(folder, [patch("+1", '=HYPERLINK("x")'), patch("b", -5), patch("c", "-5")]);
    expect(await scores(folder)).toBe('id,fit\n\'+1,"\'=HYPERLINK(""x"")"\nb,-5\nc,\'-5\n');
  });

  it("finds the row of a person whose key has no apostrophe, and leaves the key as it is", async () => {
    await withFolder({ "scores.csv": "id,fit\n@acme,1\n-b,2\n" }, async (folder) => {
      const page = [patch("@acme", 7), patch("-b", 8)];
      expect(await write(folder, page, { insert: false })).toEqual([written, written]);
      expect(await scores(folder)).toBe("id,fit\n@acme,7\n-b,8\n");
      expect(await write(folder, page)).toEqual([unchanged, unchanged]);
      expect(await write(folder, [patch("@new", 9)])).toEqual([written]);
      expect(await scores(folder)).toBe("id,fit\n@acme,7\n-b,8\n'@new,9\n");
    });
  });

  it("keeps a row of one empty cell from being a blank line", async () => {
    await withFolder({ "scores.csv": 'id\na\n""\n' }, async (folder) => {
      await write(folder, [{ key: { id: "b" }, set: {} }]);
      expect(await scores(folder)).toBe('id\na\n""\nb\n');
    });
  });

  it("takes columns named as members of every object for columns", async () => {
    const files = { "scores.csv": "constructor,id,__proto__\nx,a,y\n" };
    await withFolder(files, async (folder) => {
      await write(folder, [patch("a", 1), patch("b", 2)]);
      expect(await scores(folder)).toBe("constructor,id,__proto__,fit\nx,a,y,1\n,b,,2\n");
    });
  });

  it("rejects what no file can hold, and writes the rest", async () => {
    const folder = await temporaryFolder();
    const answers = await write(folder, [
      patch("a", "\0"),
      patch("b", { deep: ["\0"] }),
      patch("c", "\ud800"),
      patch(null, 1),
      patch("d", 1),
    ]);
    expect(answers).toEqual([
      { rejected: "the column fit would get a NUL, which text cannot hold" },
      { rejected: "the column fit would get a NUL, which text cannot hold" },
      { rejected: "the column fit would get half of a character (a lone surrogate)" },
      { rejected: "the key column id has no value" },
      written,
    ]);
    expect(await scores(folder)).toBe("id,fit\nd,1\n");
  });

  it("rejects a value that would make its row too long to be read again", async () => {
    const folder = await temporaryFolder();
    // "a," and the line end are three bytes of a row.
    const longest = "x".repeat(rowBytesMax - 3);
    expect(await write(folder, [patch("a", longest), patch("b", `${longest}x`)])).toEqual([
      written,
      { rejected: `its row would be longer than ${rowBytesMax} bytes` },
    ]);
    expect(await write(folder, [patch("a", longest)])).toEqual([unchanged]);
    const [answer] = await write(folder, [patch("a", `${longest}x`)]);
    expect(answer).toHaveProperty("rejected");
    expect(await write(folder, [patch("a", longest)])).toEqual([unchanged]);
  });

  it("keeps the mode of the file and follows a link to it", async () => {
    await withFolder({ "real.csv": "id,fit\na,1\n" }, async (folder) => {
      await chmod(join(folder, "real.csv"), 0o664);
      await symlink("real.csv", join(folder, "scores.csv"));
      await write(folder, [patch("a", 2)]);
      expect((await stat(join(folder, "real.csv"))).mode & 0o777).toBe(0o664);
      expect(await readFile(join(folder, "real.csv"), "utf8")).toBe("id,fit\na,2\n");
      expect(await readdir(folder)).toEqual(["real.csv", "scores.csv"]);
    });
  });

  it("removes what a killed process left, and leaves a younger file of another", async () => {
    const files = { ".scores.csv.old.tmp": "", ".scores.csv.new.tmp": "" };
    await withFolder(files, async (folder) => {
      const old = new Date(Date.now() - leftoverMs - 1_000);
      await utimes(join(folder, ".scores.csv.old.tmp"), old, old);
      await write(folder, [patch("a", 1)]);
      expect(await readdir(folder)).toEqual([".scores.csv.new.tmp", "scores.csv"]);
    });
  });

  it("leaves no trace when it is aborted", async () => {
    await withFolder({ "scores.csv": "id,fit\na,1\n" }, async (folder) => {
      const config = csvConfig.parse({ path: "a.csv", folder, file: "scores.csv" });
      const signal = AbortSignal.abort(new Error("cancelled"));
      const patches = [patch("a", 2)];
      const ask = { config, signal, log: keptLog(), patches };
      await expect(writeCsv(ask)).rejects.toThrow("cancelled");
      expect(await readdir(folder)).toEqual(["scores.csv"]);
      expect(await scores(folder)).toBe("id,fit\na,1\n");
    });
  });

  it("refuses a file that it cannot carry over whole", async () => {
    const bad = {
      "scores.csv:2: expected 2 fields, got 1; nothing was written": "id,fit\na\n",
      "scores.csv has no column id; nothing was written": "name,fit\nx,1\n",
    };
    for (const [message, content] of Object.entries(bad)) {
      await withFolder({ "scores.csv": content }, async (folder) => {
        await expect(write(folder, [patch("a", 1)])).rejects.toMatchObject({
          code: "ConfigError",
          message,
        });
        expect(await scores(folder)).toBe(content);
      });
    }
  });

  it("adds columns up to the most that are read", async () => {
    const most = `scores.csv would have more than ${columnsMax} columns; nothing was written`;
    for (const [count, expected] of [
      [columnsMax - 2, [written]],
      [columnsMax - 1, [written]],
      [columnsMax, most],
    ] as const) {
      const names = ["id", ...Array.from({ length: count - 1 }, (_, column) => `c${column}`)];
      await withFolder({ "scores.csv": `${names.join(",")}\n` }, async (folder) => {
        const answers = await write(folder, [patch("a", 1)]).catch(messageOf);
        expect(answers).toEqual(expected);
      });
    }
  });

  it("refuses to write without a file, into a folder, and into a source", async () => {
    await withFolder({ "a.csv": "id\n1\n" }, async (folder) => {
      const page = [patch("a", 1)];
      await expect(write(folder, page, { file: undefined })).rejects.toThrow(ConfigError);
      await expect(write(folder, page, { file: "." })).rejects.toThrow("is not a file");
      await expect(write(folder, page, { file: "none/a.csv" })).rejects.toThrow("does not exist");
      for (const [path, file] of [
        ["a.csv", "a.csv"],
        ["a.csv", "./x/../a.csv"],
        ["*.csv", "scores.csv"],
      ]) {
        const parsed = csvConfig.safeParse({ path, file, folder });
        expect(parsed.error?.issues[0]?.path).toEqual(["file"]);
      }
    });
  });
});
