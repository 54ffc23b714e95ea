import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { listFiles } from "../../../connectors/csv/files.ts";
import { filesMax } from "../../../connectors/csv/limits.ts";
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
  it("takes files up to the limit", async () => {
    const names = Array.from({ length: filesMax - 1 }, (_, index): [string, string] => [
      `${index}.csv`,
      "",
    ]);
    await withFolder(Object.fromEntries(names), async (folder) => {
      expect(await placesOf(folder, "*.csv")).toHaveLength(filesMax - 1);
      await writeFile(join(folder, "x.csv"), "");
      expect(await placesOf(folder, "*.csv")).toHaveLength(filesMax);
      await writeFile(join(folder, "y.csv"), "");
      expect((await refusalOf(folder, "*.csv"))[0]).toBe(
        `*.csv matches more than ${filesMax} files`,
      );
    });
  });
});
