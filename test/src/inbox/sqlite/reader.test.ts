import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { ConfigError, StateUnavailableError } from "../../../../src/errors.ts";
import { openInboxDatabase, type InboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { openSqliteReader, type SqliteReader } from "../../../../src/inbox/sqlite/reader.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { delivery, one, receivedAt } from "../deliveries.ts";

const connection = "forms";

async function openBoth(): Promise<{
  readonly inbox: InboxDatabase;
  readonly reader: SqliteReader;
}> {
  const file = join(await temporaryFolder(), "inbox.db");
  const inbox = openInboxDatabase(file);
  onTestFinished(() => inbox.close());
  const reader = openSqliteReader(file);
  if (reader === undefined) throw new Error("there is no inbox");
  onTestFinished(() => reader.close());
  return { inbox, reader };
}

describe("openSqliteReader", () => {
  it("reads what is kept, as soon as it is", async () => {
    const { inbox, reader } = await openBoth();
    expect(reader.inboxId).toBe(inbox.inboxId);
    expect(reader.last(connection)).toBe(0);
    inbox.keep([one("a", "1"), one("a", "2")]);
    expect(reader.last(connection)).toBe(2);
    expect(reader.read({ connection, after: 1, limit: 10 })).toEqual([
      { seq: 2, receivedAt, json: "2", id: "a", isConflict: true },
    ]);
    expect(reader.get({ connection, seqs: [1, 3] })).toMatchObject([{ seq: 1 }]);
    inbox.keep([delivery([{ json: "3" }])]);
    expect(reader.read({ connection, after: 0, upTo: 3, limit: 10 })).toHaveLength(3);
  });

  it("is there when nobody else has the inbox open, and leaves the file as it is", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const inbox = openInboxDatabase(file);
    inbox.keep([one("a")]);
    inbox.close();
    const reader = openSqliteReader(file);
    expect(reader?.read({ connection, after: 0, limit: 10 })).toHaveLength(1);
    reader?.close();
    const again = openInboxDatabase(file);
    expect(again.backlogs()).toMatchObject([{ waiting: 1, hasWakeUp: true }]);
    again.close();
  });

  it("is none where there is no inbox yet, or one is about to be made", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    expect(openSqliteReader(file)).toBeUndefined();
    writeFileSync(file, "");
    expect(openSqliteReader(file)).toBeUndefined();
  });

  it("refuses an inbox of a newer sluice, and what is none", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    openInboxDatabase(file).close();
    const newer = new DatabaseSync(file);
    newer.exec("pragma user_version = 99");
    newer.close();
    expect(() => openSqliteReader(file)).toThrow(ConfigError);
    expect(() => openInboxDatabase(file)).toThrow(ConfigError);
    writeFileSync(file, "x".repeat(10_000));
    expect(() => openSqliteReader(file)).toThrow(StateUnavailableError);
  });

  it("says that it cannot read once it was closed", async () => {
    const { reader } = await openBoth();
    reader.close();
    expect(() => reader.last(connection)).toThrow(StateUnavailableError);
  });
});
