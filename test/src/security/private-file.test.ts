import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { makePrivateFile } from "../../../src/security/private-file.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

describe("makePrivateFile", () => {
  it("makes an empty file for this user alone, and nothing else", async () => {
    const folder = await temporaryFolder();
    makePrivateFile(join(folder, "a"));
    expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, "a"), "utf8")).toBe("");
    expect(await readdir(folder)).toEqual(["a"]);
  });

  it("leaves a file that is there as it is", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a"), "kept");
    makePrivateFile(join(folder, "a"));
    expect(await readFile(join(folder, "a"), "utf8")).toBe("kept");
    expect(await readdir(folder)).toEqual(["a"]);
  });

  it("gives what SQLite puts beside the file the same permissions", async () => {
    const folder = await temporaryFolder();
    makePrivateFile(join(folder, "a"));
    const database = new DatabaseSync(join(folder, "a"));
    database.exec("pragma journal_mode = wal; create table t (x)");
    const names = await readdir(folder);
    const modes = await Promise.all(
      names.map(async (name) => (await stat(join(folder, name))).mode & 0o777),
    );
    database.close();
    expect(names).toEqual(["a", "a-shm", "a-wal"]);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it("says what keeps it from making one", async () => {
    const folder = await temporaryFolder();
    expect(() => makePrivateFile(join(folder, "none", "a"))).toThrow("ENOENT");
  });
});
