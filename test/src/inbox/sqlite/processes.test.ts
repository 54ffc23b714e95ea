import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";

import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { openSqliteReader, type SqliteReader } from "../../../../src/inbox/sqlite/reader.ts";
import { end, until, watch } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";
import { someOf } from "../../../support/trials.ts";
import { one } from "../deliveries.ts";

const writer = fileURLToPath(new URL("writer.ts", import.meta.url));
const closer = fileURLToPath(new URL("closer.ts", import.meta.url));
const connection = "forms";

/** The maximum number of deliveries that a writer has under way. */
const underWayMax = 16;

type Writer = {
  readonly child: ChildProcess;
  readonly kept: () => readonly string[];
  readonly ended: Promise<unknown>;
};

/** Starts a process that keeps events `<name>-1` to `<name>-<size>`. */
function startWriter(folder: string, name: string, size: number): Writer {
  const child = spawn(process.execPath, [writer, folder, name, `${size}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => await end(child, "SIGKILL"));
  const { printed, ended } = watch(child);
  return { child, kept: () => printed().stdout.split("\n").slice(0, -1), ended };
}

async function openReader(folder: string): Promise<SqliteReader> {
  const reader = await until(async () => openSqliteReader(inboxFileIn(folder)));
  onTestFinished(() => reader.close());
  return reader;
}

/** The ids of the events after a sequence number, each with its number. */
function idsAfter(reader: SqliteReader, after: number): readonly (readonly [number, string])[] {
  return reader
    .read({ connection, after, limit: 100_000 })
    .map(({ seq, json }) => [seq, json.slice('{"event":"'.length, -'"}'.length)]);
}

describe("inbox of several processes", () => {
  it("shows events in the order of their numbers while two processes write", async () => {
    const folder = await temporaryFolder();
    const writers = ["a", "b"].map((name) => startWriter(folder, name, 2_000));
    const allEnded = Promise.all(writers.map(async ({ ended }) => await ended));
    const reader = await openReader(folder);
    const seen: (readonly [number, string])[] = [];
    let looks = 0;
    // A reader that continues after the last number that it saw must miss none.
    await until(async () => {
      const more = idsAfter(reader, seen.length);
      seen.push(...more);
      looks += Number(more.length > 0);
      return seen.length === 4_000;
    });
    await allEnded;
    expect(looks).toBeGreaterThan(1);
    expect(seen.map(([seq]) => seq)).toEqual(seen.map((_, index) => index + 1));
    const ids = new Set(seen.map(([, id]) => id));
    expect(ids.size).toBe(4_000);
    expect(writers.flatMap(({ kept }) => kept()).filter((id) => !ids.has(id))).toEqual([]);
  });

  it.each(someOf([333, 1, 20, 50, 10_000], 5))(
    "holds all that a process said it kept before it was killed, after %i or more",
    async (many) => {
      const folder = await temporaryFolder();
      const { child, kept, ended } = startWriter(folder, "a", 1_000_000);
      await until(async () => kept().length >= many);
      child.kill("SIGKILL");
      await ended;
      const after = startWriter(folder, "b", 20);
      await after.ended;
      expect(after.kept()).toHaveLength(20);
      const ids = idsAfter(await openReader(folder), 0);
      expect(ids.map(([seq]) => seq)).toEqual(ids.map((_, index) => index + 1));
      const found = new Set(ids.map(([, id]) => id));
      expect(found.size).toBe(ids.length);
      expect([...kept(), ...after.kept()].filter((id) => !found.has(id))).toEqual([]);
    },
  );

  it.each(someOf([50, 20, 333], 3))(
    "has everything once when senders repeat what it did not answer: killed after %i or more",
    async (many) => {
      const folder = await temporaryFolder();
      const { child, kept, ended } = startWriter(folder, "a", 1_000_000);
      await until(async () => kept().length >= many);
      child.kill("SIGKILL");
      await ended;
      const last = Math.max(...kept().map((id) => Number(id.slice("a-".length))));
      const ids = numbers(last + underWayMax).map((index) => `a-${index + 1}`);
      const inbox = openInboxDatabase(inboxFileIn(folder));
      onTestFinished(() => inbox.close());
      inbox.keep(ids.map((id) => one(id)));
      const found = idsAfter(await openReader(folder), 0).map(([, id]) => id);
      expect(found.toSorted()).toEqual(ids.toSorted());
    },
  );

  it("ends its process with 0 when it is closed while a call is under way", async () => {
    const child = spawn(process.execPath, [closer, await temporaryFolder()]);
    onTestFinished(async () => await end(child, "SIGKILL"));
    expect(await watch(child).ended).toMatchObject({ code: 0, stdout: "closed\n" });
  });
});
