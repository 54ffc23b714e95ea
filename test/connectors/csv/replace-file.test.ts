import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
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

  it("makes the file that links lead to where it is not there yet, and leaves the links", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "real/deep"), { recursive: true });
    await symlink(join(folder, "real/deep"), join(folder, "near"));
    await symlink("near/second", join(folder, "a.csv"));
    // Leads out of the folder that the link is in, not out of the one that it is reached by.
    await symlink("../made.csv", join(folder, "real/deep/second"));
    const write = async (): Promise<void> =>
      await replaceFile(await targetAt(join(folder, "a.csv"), "a.csv"), async (append) => {
        await append("ours\n");
        return true;
      });
    await write();
    expect(await readlink(join(folder, "a.csv"))).toBe("near/second");
    expect(await readFile(join(folder, "real/made.csv"), "utf8")).toBe("ours\n");
    await rm(join(folder, "real"), { recursive: true });
    await expect(write()).rejects.toThrow("a.csv cannot be written: its folder does not exist");
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
