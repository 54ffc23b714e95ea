import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { ConfigError } from "../../errors.ts";
import { lockWaitMs } from "../../state/limits.ts";
import { movedError, movedToName } from "../../state/moved.ts";
import { connectToRead, count } from "../../state/sqlite/database.ts";
import { asStateError, isUnwritable } from "../../state/sqlite/state-fault.ts";
import type { InboxReading } from "../inbox.ts";
import { inboxMigrations } from "./migrations.ts";
import { createReading } from "./reading.ts";

/** An inbox file that is only read. */
export type SqliteReader = InboxReading & {
  readonly inboxId: string;
  readonly close: () => void;
};

/**
 * Opens an inbox for reading, in the calling thread; undefined when there is none yet.
 * @throws {ConfigError} it was made by a newer sluice.
 * @throws {StateUnavailableError} the file cannot be opened or read; the reader's methods throw it too.
 */
export function openSqliteReader(file: string): SqliteReader | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const connect = () => new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
    return connectedReader(connect, file);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return connectedReader(() => connectToRead(file), file);
  }
}

function connectedReader(connect: () => DatabaseSync, file: string): SqliteReader | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = connect();
    const reader = readerOf(db, file);
    if (reader === undefined) db.close();
    return reader;
  } catch (error) {
    db?.close();
    throw asStateError(error, file);
  }
}

function readerOf(db: DatabaseSync, file: string): SqliteReader | undefined {
  const version = count(db.prepare("pragma user_version"));
  // Another process is about to make the tables.
  if (version === 0) return undefined;
  if (version > inboxMigrations.length) {
    throw new ConfigError(`${file} has schema version ${version}, which this sluice cannot read`, {
      hint: "run the newer sluice that made it",
    });
  }
  const fact = db.prepare("select value from meta where name = ?");
  const inboxId = fact.get("store_id")?.["value"];
  const movedTo = fact.get(movedToName)?.["value"];
  if (movedTo !== undefined) throw movedError(file, String(movedTo));
  const reading = createReading(db);
  const guarded =
    <Input, Output>(read: (input: Input) => Output): ((input: Input) => Output) =>
    (input) => {
      try {
        return read(input);
      } catch (error) {
        throw asStateError(error, file);
      }
    };
  return {
    inboxId: String(inboxId),
    last: guarded(reading.last),
    held: guarded(reading.held),
    read: guarded(reading.read),
    get: guarded(reading.get),
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}
