import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { listFiles } from "../../../connectors/csv/files.ts";
import { ConfigError } from "../../../src/errors.ts";
import { configOf, withFolder } from "./support.ts";

async function placesOf(folder: string, path: string): Promise<readonly string[]> {
  return (await listFiles(configOf(folder, { path }))).map((file) => file.place);
}

async function refusalOf(folder: string, path: string): Promise<readonly (string | undefined)[]> {
  const error = await placesOf(folder, path).catch((caught: unknown) => caught);
  return error instanceof ConfigError ? [error.message, error.hint, error.field] : [];
}

describe("listFiles", () => {
  it("gives a path back as it is written", async () => {
    await withFolder({ "a.csv": "" }, async (folder) => {
      expect(await placesOf(folder, "./a.csv")).toEqual(["./a.csv"]);
      expect(await placesOf(folder, join(folder, "a.csv"))).toEqual([join(folder, "a.csv")]);
    });
  });

  it("lists what a pattern matches by path, in the form of the pattern, without folders", async () => {
    await withFolder({ "b.csv": "", "a.csv": "", "c.txt": "" }, async (folder) => {
      await mkdir(join(folder, "d.csv"));
      await writeFile(join(folder, "d.csv", "e.csv"), "");
      expect(await placesOf(folder, "*.csv")).toEqual(["a.csv", "b.csv"]);
      expect(await placesOf(folder, "{b,a}.csv")).toEqual(["a.csv", "b.csv"]);
      expect(await placesOf(folder, "./*.csv")).toEqual(["./a.csv", "./b.csv"]);
      expect(await placesOf(folder, "**/*.csv")).toEqual(["a.csv", "b.csv", "d.csv/e.csv"]);
      expect(await placesOf(folder, join(folder, "[ab].csv"))).toEqual([
        join(folder, "a.csv"),
        join(folder, "b.csv"),
      ]);
    });
  });

  it("takes a path that exists for no pattern", async () => {
    await withFolder({ "a[1].csv": "", "a1.csv": "" }, async (folder) => {
      expect(await placesOf(folder, "a[1].csv")).toEqual(["a[1].csv"]);
    });
  });

  it("names the nearest files when there is none", async () => {
    await withFolder({ "account.csv": "", "zebra.txt": "" }, async (folder) => {
      const hint = "The folder holds account.csv, zebra.txt.";
      expect(await refusalOf(folder, "accounts.csv")).toEqual([
        "accounts.csv does not exist",
        hint,
        "path",
      ]);
      expect(await refusalOf(folder, "accounts-*.csv")).toEqual([
        "no file matches accounts-*.csv",
        hint,
        "path",
      ]);
    });
  });

  it("names the folder when there is none", async () => {
    await withFolder({}, async (folder) => {
      expect(await refusalOf(folder, "gone/a.csv")).toEqual([
        `gone/a.csv does not exist: there is no folder ${folder}/gone`,
        "Check the path; it starts from the folder of sluice.yaml.",
        "path",
      ]);
      expect((await refusalOf(folder, "a.csv"))[1]).toBe("The folder holds no files.");
    });
  });

  it("follows a link that is named, and refuses one that a pattern meets on its way out", async () => {
    await withFolder({ "secret.csv": "" }, async (folder) => {
      await mkdir(join(folder, "in"));
      await symlink("../secret.csv", join(folder, "in", "a.csv"));
      expect(await placesOf(folder, "in/a.csv")).toEqual(["in/a.csv"]);
      expect((await refusalOf(folder, "in/*.csv"))[0]).toBe(
        "in/a.csv is a link that leads out of the pattern's folder",
      );
      expect(await placesOf(folder, "**/a.csv")).toEqual(["in/a.csv"]);
    });
  });
});
