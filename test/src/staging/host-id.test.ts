import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { StateUnavailableError } from "../../../src/errors.ts";
import { readHostId } from "../../../src/staging/host-id.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

describe("readHostId", () => {
  it("makes an id once and keeps it", async () => {
    const folder = join(await temporaryFolder(), "state");
    const id = await readHostId(folder);
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(await readHostId(folder)).toBe(id);
    expect(await readdir(folder)).toEqual(["host-id"]);
    expect((await stat(join(folder, "host-id"))).mode & 0o777).toBe(0o600);
  });

  it("gives processes that start at the same moment one id", async () => {
    const folder = await temporaryFolder();
    const ids = await Promise.all(Array.from({ length: 20 }, async () => await readHostId(folder)));
    expect(new Set(ids).size).toBe(1);
  });

  it.each(["", "\0\0\0\0\0\0\0\0\0\0\0\0"])(
    "refuses what a power cut left of an id: %j",
    async (left) => {
      const folder = await temporaryFolder();
      const file = join(folder, "host-id");
      await writeFile(file, left);
      await expect(readHostId(folder)).rejects.toThrow(StateUnavailableError);
      await expect(readHostId(folder)).rejects.toMatchObject({
        message: `${file} holds no id of this host`,
        hint: "remove it: the next start makes a new one, and chunks that were staged here are staged again",
      });
      await rm(file);
      expect(await readHostId(folder)).toMatch(/^[0-9a-f]{12}$/);
    },
  );

  it("gives two folders two ids", async () => {
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    expect(await readHostId(one)).not.toBe(await readHostId(other));
  });
});
