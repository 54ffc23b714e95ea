import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { replaceFile, targetAt } from "../../../connectors/csv/replace-file.ts";
import { ConfigError, RetryLater } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

describe("replaceFile", () => {
  it("does not put its file over one that was changed or made meanwhile", async () => {
    for (const before of ["old\n", undefined]) {
      const path = join(await temporaryFolder(), "a.csv");
      if (before !== undefined) await writeFile(path, before);
      const replaced = replaceFile(await targetAt(path, "a.csv"), async (append) => {
        await append("ours\n");
        await writeFile(path, "newer\n");
        return true;
      });
      await expect(replaced).rejects.toThrow(RetryLater);
      expect(await readFile(path, "utf8")).toBe("newer\n");
    }
  });

  it("does not stumble over another writer's file that is gone when it looks", async () => {
    const path = join(await temporaryFolder(), "a.csv");
    // A dangling link exists and does not, like such a file between two looks.
    await symlink("nowhere", join(dirname(path), ".a.csv.other.tmp"));
    await replaceFile(await targetAt(path, "a.csv"), async (append) => {
      await append("ours\n");
      return true;
    });
    expect(await readFile(path, "utf8")).toBe("ours\n");
  });

  it("leaves the old file and no other when the writing fails", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.csv");
    await writeFile(path, "old\n");
    const failure = new Error("cancelled");
    const replaced = replaceFile(await targetAt(path, "a.csv"), async (append) => {
      await append("ours\n");
      throw failure;
    });
    await expect(replaced).rejects.toBe(failure);
    expect(await readdir(folder)).toEqual(["a.csv"]);
    expect(await readFile(path, "utf8")).toBe("old\n");
  });

  it("takes a full disk for one that may have room later, and what forbids writing for a mistake", async () => {
    const folder = await temporaryFolder();
    const fail = async (code: string): Promise<void> => {
      await replaceFile(await targetAt(join(folder, "a.csv"), "a.csv"), async () => {
        throw Object.assign(new Error(code), { code });
      });
    };
    await expect(fail("ENOSPC")).rejects.toThrow(RetryLater);
    await expect(fail("ENOSPC")).rejects.toThrow("a.csv cannot be written: ENOSPC");
    await expect(fail("EROFS")).rejects.toThrow(ConfigError);
  });
});
