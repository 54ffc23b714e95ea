import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { openSqliteReader } from "../../../../src/inbox/sqlite/reader.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";
import { one } from "../deliveries.ts";

const connection = "forms";
const frameBytes = 24 + 4096;

/** The files of a killed inbox, and where the last write of its log begins. */
type Killed = { readonly db: Buffer; readonly wal: Buffer; readonly lastWriteAt: number };

/** An inbox as a kill leaves it after four writes: its log was never written into its file. */
function killedInbox(folder: string): Killed {
  const file = join(folder, "inbox.db");
  const inbox = openInboxDatabase(file);
  for (const id of ["a", "b", "c"]) inbox.keep([one(id)]);
  const lastWriteAt = readFileSync(`${file}-wal`).length;
  inbox.keep([one("d")]);
  const killed = { db: readFileSync(file), wal: readFileSync(`${file}-wal`), lastWriteAt };
  inbox.close();
  return killed;
}

/** Writes an inbox's files with a log other than its own. @returns its file. */
function layDown(folder: string, { db }: Killed, wal: Buffer): string {
  const file = join(folder, "inbox.db");
  rmSync(`${file}-shm`, { force: true });
  writeFileSync(file, db);
  writeFileSync(`${file}-wal`, wal);
  return file;
}

/** The ids of the events that a reader finds. */
function idsRead(file: string): string {
  const reader = openSqliteReader(file);
  const rows = reader?.read({ connection, after: 0, limit: 10 }) ?? [];
  reader?.close();
  return rows.map(({ json }) => json.slice('{"event":"'.length, -'"}'.length)).join("");
}

/** The number that the next event gets. */
function nextSeq(file: string): number {
  const inbox = openInboxDatabase(file);
  inbox.keep([one("next")]);
  const seq = inbox.takeWakeUp({ connection });
  inbox.close();
  return seq;
}

/** Where the last write may have been torn: at every byte of its last page, and around the ends of earlier ones. */
function cutsOf({ wal, lastWriteAt }: Killed): readonly number[] {
  const pages = (wal.length - lastWriteAt) / frameBytes;
  const ends = numbers(pages).map((page) => lastWriteAt + page * frameBytes);
  const last = numbers(frameBytes).map((byte) => wal.length - frameBytes + byte);
  return [...ends.flatMap((end) => [end, end + 1, end + frameBytes - 1]), ...last];
}

/** At one cut in this many the inbox is also written to, which takes several fsyncs. */
const writeEvery = 97;

const tails = [
  { tail: "nothing", of: (): Buffer => Buffer.alloc(0) },
  { tail: "garbage", of: (rest: Buffer): Buffer => Buffer.from(rest.map((byte) => byte ^ 0xff)) },
];

describe("openInboxDatabase and openSqliteReader after a torn write", () => {
  it.each(tails)(
    "find all but the torn write where $tail follows any byte of it",
    async ({ of }) => {
      const killed = killedInbox(await temporaryFolder());
      const folder = await temporaryFolder();
      const isWhole = layDown(folder, killed, killed.wal);
      expect([idsRead(isWhole), nextSeq(isWhole)]).toEqual(["abcd", 5]);

      const cuts = cutsOf(killed);
      expect(cuts.length).toBeGreaterThan(frameBytes + 3);
      const wrong = cuts.filter((cut, index) => {
        const wal = Buffer.concat([killed.wal.subarray(0, cut), of(killed.wal.subarray(cut))]);
        const file = layDown(folder, killed, wal);
        if (idsRead(file) !== "abc") return true;
        return index % writeEvery === 0 && nextSeq(file) !== 4;
      });
      expect(wrong).toEqual([]);
    },
    120_000,
  );
});
