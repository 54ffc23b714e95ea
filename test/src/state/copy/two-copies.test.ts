import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { BusyError } from "../../../../src/errors.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { PostgresEnd } from "../../../../src/state/copy/postgres-end.ts";
import { SqliteEnd } from "../../../../src/state/copy/sqlite-end.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { movedToOf } from "../../../../src/state/sqlite/unopened.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { newFolder, newServer, sendRun } from "./support.ts";

/** A project in a state folder, to be copied into a database, and whether a copy waits for a lock there. */
async function project() {
  const stateFolder = await newFolder();
  const store = await openStoreInline(stateFolder);
  await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
  await store.close();
  const { url, admin } = await postgres();
  const server = { url: new Secret(url), schema: "sluice" };
  const isWaiting = async (): Promise<boolean> => {
    const { rowCount } = await admin.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'sluice store copy'",
    );
    return rowCount === 1;
  };
  return { request: { stateFolder, server, to: "postgres" }, admin, isWaiting } as const;
}

describe("two copies at the same time", () => {
  it("leave the project in one place where the first is about to be committed", async () => {
    const { request, isWaiting } = await project();
    const spied = vi.spyOn(PostgresEnd.prototype, "commit");
    const ends: { second?: Promise<unknown> } = {};
    spied.mockImplementationOnce(async function (this: PostgresEnd) {
      spied.mockRestore();
      ends.second = copyStore(request).catch((error: unknown) => error);
      await expect.poll(isWaiting).toBe(true);
      await this.commit();
    });
    expect((await copyStore(request)).tables).toMatchObject({ runs: 1 });
    expect(await ends.second).toBeInstanceOf(BusyError);
    expect(movedToOf(join(request.stateFolder, "state.db"))).toContain("schema sluice");
    const { close } = await openPostgresMethods(request.server);
    await expect(close()).resolves.toBeUndefined();
  });

  it("leave it in one place where the second comes between the marks and the rows of the first", async () => {
    const { request } = await project();
    const spied = vi.spyOn(PostgresEnd.prototype, "begin");
    spied.mockImplementationOnce(async function (this: PostgresEnd, how) {
      spied.mockRestore();
      expect((await copyStore(request)).tables).toMatchObject({ runs: 1 });
      await this.begin(how);
    });
    await expect(copyStore(request)).rejects.toThrow("another copy is being made, or was made");
    expect(movedToOf(join(request.stateFolder, "state.db"))).toContain("schema sluice");
  });

  it("leave it where it was when the second fails between the marks and the rows of the first", async () => {
    const { request, admin } = await project();
    const spied = vi.spyOn(PostgresEnd.prototype, "begin");
    spied.mockImplementationOnce(async function (this: PostgresEnd, how) {
      spied.mockRestore();
      await admin.query(
        `create function lose() returns trigger language plpgsql as 'begin return null; end';
         create trigger lose before insert on sluice.runs for each row execute function lose()`,
      );
      await expect(copyStore(request)).rejects.toThrow("0 rows of 1 were copied");
      await admin.query("drop trigger lose on sluice.runs");
      await this.begin(how);
    });
    await expect(copyStore(request)).rejects.toThrow("another copy is being made, or was made");
    expect(movedToOf(join(request.stateFolder, "state.db"))).toBeUndefined();
    await expect(openPostgresMethods(request.server)).rejects.toThrow("was moved");
  });

  it("leave it in one place when they go to two folders", async () => {
    const { request } = await project();
    const other = await newFolder();
    await copyStore(request);
    const spied = vi.spyOn(PostgresEnd.prototype, "mark");
    spied.mockImplementationOnce(async function (this: PostgresEnd, mark) {
      spied.mockRestore();
      const second = copyStore({ ...request, stateFolder: other, to: "sqlite" });
      expect((await second).tables).toMatchObject({ runs: 1 });
      await this.mark(mark);
    });
    await expect(copyStore({ ...request, to: "sqlite" })).rejects.toThrow(BusyError);
    await expect(openStoreInline(request.stateFolder)).rejects.toThrow("was moved");
    await expect(openPostgresMethods(request.server)).rejects.toThrow("continues in " + other);
  });

  it("leave it in one place when they go to two databases", async () => {
    const { request } = await project();
    const other = await newServer();
    const spied = vi.spyOn(SqliteEnd.prototype, "mark");
    spied.mockImplementationOnce(async function (this: SqliteEnd, mark) {
      spied.mockRestore();
      const second = copyStore({ ...request, server: other });
      expect((await second).tables).toMatchObject({ runs: 1 });
      await this.mark(mark);
    });
    await expect(copyStore(request)).rejects.toThrow(BusyError);
    await expect(openPostgresMethods(request.server)).rejects.toThrow("was moved");
    await expect(openStoreInline(request.stateFolder)).rejects.toThrow(other.schema);
  });
});
