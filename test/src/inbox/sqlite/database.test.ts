import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { createKeeping } from "../../../../src/inbox/sqlite/keeping.ts";
import { inboxMigrations } from "../../../../src/inbox/sqlite/migrations.ts";
import { transactionRowsMax } from "../../../../src/state/limits.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";
import { delivery, one } from "../deliveries.ts";

/** The last sequence number that a connection can give out. */
const seqMax = 2 ** 40 - 1;

describe("openInboxDatabase", () => {
  it("makes files for this user alone (T12)", async () => {
    const folder = join(await temporaryFolder(), "state");
    const file = join(folder, "inbox.db");
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    const modes = [folder, file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode);
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it("has each commit synced before it returns", async () => {
    const db = openDatabase(join(await temporaryFolder(), "inbox.db"), inboxMigrations);
    onTestFinished(() => db.close());
    // In WAL mode, NORMAL would postpone the fsync to the next checkpoint.
    const modes = ["journal_mode", "synchronous"].map((name) => db.prepare(`pragma ${name}`).get());
    expect(modes).toEqual([{ journal_mode: "wal" }, { synchronous: 2 }]);
  });

  it("keeps the events of an inbox that an older sluice made, and what was to be woken for", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const before = openDatabase(file, inboxMigrations.slice(0, 2));
    before
      .prepare("insert into connections (number, name, last_seq, rung) values (1, 'forms', 1, 1)")
      .run();
    before.prepare("insert into events values (1 << 40 | 1, 0, 0, 'a', '{}')").run();
    before.close();
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    expect(inbox.backlogs()).toMatchObject([{ connection: "forms", waiting: 1, hasWakeUp: true }]);
  });

  it("takes events of an older receiver that still runs once a newer sluice has migrated it", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const older = openDatabase(file, inboxMigrations.slice(0, 3));
    onTestFinished(() => older.close());
    const { keep } = createKeeping(older);
    expect(keep([one("a")])).toEqual([{ kept: 1, wake: true }]);
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    expect(keep([one("a"), one("b")])).toEqual([
      { kept: 0, wake: false },
      { kept: 1, wake: false },
    ]);
    expect(inbox.backlogs()).toMatchObject([{ connection: "forms", waiting: 2 }]);
  });

  it("overwrites what it removes (T12)", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    inbox.keep([one("a", '"someone@example.com"')]);
    inbox.close();
    expect(readFileSync(file, "latin1")).toContain("someone@example.com");
    const again = openInboxDatabase(file);
    again.prune({ connection: "forms", upTo: 1 });
    again.close();
    expect(readFileSync(file, "latin1")).not.toContain("someone@example.com");
  });

  it("keeps an id as it came no longer than its event", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    const named = one("someone@example.com", "{}");
    inbox.keep([named]);
    inbox.prune({ connection: "forms", upTo: 1 });
    expect(inbox.keep([named])).toEqual([{ kept: 0, wake: false }]);
    inbox.close();
    expect(readFileSync(file, "latin1").includes("someone")).toBe(false);
  });

  it("notes no id of an event that it could not keep", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    inbox.keep([one("a")]);
    const beside = new DatabaseSync(file);
    onTestFinished(() => {
      beside.close();
      inbox.close();
    });
    const last = beside.prepare("update connections set last_seq = ?");
    last.run(seqMax);
    expect(() => inbox.keep([one("b")])).toThrow("SQLite does not take an event");
    last.run(1);
    expect(inbox.keep([one("b")])).toEqual([{ kept: 1, wake: false }]);
    expect(inbox.read({ connection: "forms", after: 1, limit: 10 })).toMatchObject([{ id: "b" }]);
  });

  it("keeps one delivery that has more events than a transaction otherwise", async () => {
    const inbox = openInboxDatabase(join(await temporaryFolder(), "inbox.db"));
    onTestFinished(() => inbox.close());
    const many = numbers(transactionRowsMax + 1).map((index) => ({ json: `${index}` }));
    expect(inbox.keep([delivery(many)])).toEqual([{ kept: many.length, wake: true }]);
  });

  it("opens its file anew after a fault, and takes no other inbox for it", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const before = openInboxDatabase(file);
    before.keep([one("a")]);
    before.close();
    const sound = readFileSync(file);
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    const read = (): number => inbox.read({ connection: "forms", after: 0, limit: 10 }).length;

    // Everything except the first page, which it has read.
    writeFileSync(file, Buffer.from(sound).fill("x", 4096));
    expect(read).toThrow(StateUnavailableError);
    expect(read).toThrow(StateUnavailableError);

    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
    openInboxDatabase(file).close();
    expect(read).toThrow("another inbox");

    writeFileSync(file, sound);
    expect(read()).toBe(1);
    expect(inbox.keep([one("b")])).toEqual([{ kept: 1, wake: false }]);
  });

  it.each(["removed", "replaced"])("says nothing is kept once its file was %s", async (how) => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    onTestFinished(() => inbox.close());
    inbox.keep([one("a")]);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
    if (how === "replaced") openInboxDatabase(file).close();
    expect(() => inbox.keep([one("b")])).toThrow("was removed or replaced");
    expect(() => inbox.backlogs()).toThrow(StateUnavailableError);
  });
});
