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

it("writes no page that a statement changes into a file of its own, where many keys are written", async () => {
  const db = openDatabase(join(await temporaryFolder(), "state.db"));
  const setting = (): unknown => db.prepare("pragma temp_store").get()?.["temp_store"];
  const put = db.prepare(
    "insert or replace into meta (name, value) values ('test', ''), (null, '')",
  );
  const isInMemory = 2;
  const isAsBuilt = 0;
  expect(db.writeUnsynced(setting)).toBe(isInMemory);
  expect(db.write(setting)).toBe(isAsBuilt);
  const settings: unknown[] = [];
  await db.state.writeParts([1, 2], async () => void settings.push(setting()));
  expect(settings).toEqual([isInMemory, isInMemory]);
  expect(() => db.writeUnsynced(() => put.run())).toThrow("NOT NULL");
  expect(db.write(setting)).toBe(isAsBuilt);
  const rows = db.prepare("select count(*) as rows from meta where name = 'test'").get();
  expect(rows).toEqual({ rows: 0 });
  db.close();
});

it("syncs what it writes where a transaction that needs no sync could not begin", async () => {
  const db = openDatabase(join(await temporaryFolder(), "state.db"));
  const setting = (): unknown => db.prepare("pragma synchronous").get()?.["synchronous"];
  db.prepare("create temp table some (value)").run();
  db.prepare("insert into some values (1), (2)").run();
  const reading = db.prepare("select value from some").iterate();
  reading.next();
  const refusal = "temporary storage cannot be changed";
  expect(() => db.writeUnsynced(setting)).toThrow(refusal);
  expect(db.write(setting)).toBe(full);
  await expect(db.state.writeParts([1], async () => void setting())).rejects.toThrow(refusal);
  expect(db.write(setting)).toBe(full);
  reading.return?.();
  expect(db.writeUnsynced(setting)).toBe(normal);
  expect(db.write(setting)).toBe(full);
  db.close();
});
