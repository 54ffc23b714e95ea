import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { AppliedReader } from "../applied-reader.ts";
import { idFields, type SandboxStream, sandboxStreams, typeFields } from "../schemas.ts";
import type { Applied } from "./upload-store.ts";

// Ids come in any order, so each checkpoint writes pages all over the file and waits for the disk: at the default of
// 1,000 pages that took two thirds of the time.
const schema = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma cache_size = -32768;
  pragma wal_autocheckpoint = 20000;
  create table if not exists records (
    stream text not null, id text not null, record text not null, file integer not null,
    primary key (stream, id));`;

/**
 * The visible records: the last version per id, in a SQLite file made from the applied uploads. It is brought up to
 * date when it is read, not when a file is confirmed, so that a confirm costs the same whatever the file's size.
 */
export class RecordIndex {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #reader: AppliedReader;

  private constructor(path: string) {
    this.#path = path;
    this.#db = new DatabaseSync(path);
    this.#db.exec(schema);
    const upsert = this.#db.prepare(
      `insert into records (stream, id, record, file) values (?, ?, ?, ?)
       on conflict (stream, id) do update set record = excluded.record, file = excluded.file`,
    );
    this.#reader = new AppliedReader({
      db: this.#db,
      streams: sandboxStreams,
      take: ({ stream, text, file }) => {
        const record = readLine(stream, text);
        upsert.run(stream, record.id, record.text, file);
      },
    });
  }

  /** Opens or makes the file. */
  static async open(path: string): Promise<RecordIndex> {
    // SQLite would make the file readable to others; its companion files take their mode from it.
    await (await open(path, "a", 0o600)).close();
    return new RecordIndex(path);
  }

  /** Reads the uploads that are not in the index yet, in the given order. */
  async catchUp(applied: readonly Applied[], pathOf: (diskName: string) => string): Promise<void> {
    await this.#reader.catchUp(applied, pathOf);
  }

  /**
   * The visible records of a stream, in the order in which their ids first came, as JSON lines; later changes are not
   * shown.
   */
  *lines(stream: SandboxStream): Generator<string> {
    // A separate connection sees one moment, however long the reader takes.
    using db = new DatabaseSync(this.#path, { readOnly: true });
    const rows = db
      .prepare(
        `select record, file_key from records not indexed join files on number = file
         where stream = ? order by records.rowid`,
      )
      .iterate(stream);
    for (const row of rows) {
      const fileKey = JSON.stringify(row["file_key"]);
      yield `{"stream":"${stream}","record":${String(row["record"])},"file_key":${fileKey}}\n`;
    }
  }

  /** Stops reading at the next piece, then closes the file. */
  async close(): Promise<void> {
    await this.#reader.close();
    this.#db.close();
  }
}

/**
 * The id and the text of a line that was checked when it came. The text is as sent, so that no number is rounded, but
 * with the type filled in.
 */
function readLine(stream: SandboxStream, line: string): { id: string; text: string } {
  const record: unknown = JSON.parse(line);
  if (!isObject(record)) throw new Error("an applied line is not an object");
  const text = line.trim();
  const field = typeFields[stream];
  return {
    id: String(record[idFields[stream]]),
    text: Object.hasOwn(record, field) ? text : `{"${field}":"${stream}",${text.slice(1)}`,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
