import { join } from "node:path";

import { expect, it } from "vitest";

import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const full = 2;
const normal = 1;

it("syncs what it writes, but what needs not be, and after that as before", async () => {
  const db = openDatabase(join(await temporaryFolder(), "state.db"));
  const setting = (): unknown => db.prepare("pragma synchronous").get()?.["synchronous"];
  const put = db.prepare("insert or replace into meta (name, value) values ('test', '')");
  const written = (): unknown => {
    put.run();
    return setting();
  };
  const failed = (): never => {
    put.run();
    throw new Error("killed");
  };
  expect(db.write(written)).toBe(full);
  expect(db.writeUnsynced(written)).toBe(normal);
  expect(db.write(written)).toBe(full);
  expect(() => db.writeUnsynced(failed)).toThrow("killed");
  expect(db.write(written)).toBe(full);
  const settings: unknown[] = [];
  await db.state.writeParts([1, 2], async () => void settings.push(written()));
  expect(settings).toEqual([normal, normal]);
  expect(await db.state.write(async () => written())).toBe(full);
  await expect(db.state.writeParts([1], async () => failed())).rejects.toThrow("killed");
  expect(await db.state.write(async () => written())).toBe(full);
  db.close();
});
