import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../src/errors.ts";
import type { Inbox, InboxRow } from "../../../src/inbox/inbox.ts";
import { inboxGroupCharsMax } from "../../../src/inbox/limits.ts";
import { openPostgresInbox } from "../../../src/inbox/postgres/open.ts";
import { openSqliteInbox } from "../../../src/inbox/sqlite/open.ts";
import { eventIdsKeptMs } from "../../../src/limits.ts";
import { transactionRowsMax } from "../../../src/state/limits.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { schemaOf } from "../../support/project/inline-postgres.ts";
import { someOf } from "../../support/trials.ts";
import { delivery, one, receivedAt } from "./deliveries.ts";

/** Every implementation of the inbox passes the contract. */
const implementations = [
  { kind: "sqlite", open: openSqliteInbox },
  { kind: "postgres", open: openInSchema },
];

async function openInSchema(folder: string): Promise<Inbox> {
  return await openPostgresInbox(await schemaOf(folder));
}

const connection = "forms";

/** Ids are forgotten by the hour. */
const hourMs = 3_600_000;

/** How long ago a time was, to the minute. */
function since(ms: number): unknown {
  return expect.closeTo(Date.now() - ms, -5);
}

function seqs(found: readonly InboxRow[]): readonly number[] {
  return found.map(({ seq }) => seq);
}

describe.each(someOf(implementations, 2))("inbox: $kind", ({ open }) => {
  let folder: string;
  let inbox: Inbox;

  async function opened(at = folder): Promise<Inbox> {
    const again = await open(at);
    onTestFinished(async () => await again.close());
    return again;
  }

  async function rows(): Promise<InboxRow[]> {
    return await inbox.read({ connection, after: 0, limit: 10_000 });
  }

  async function keepMany(size: number, at = receivedAt): Promise<void> {
    const events = Array.from({ length: size }, (_, index) => ({ json: `${index}` }));
    await inbox.keep(delivery(events, { receivedAt: at }));
  }

  beforeEach(async () => {
    folder = await temporaryFolder();
    inbox = await opened();
  });

  it("keeps events as they came, in their order, numbered from 1 in each connection", async () => {
    const json = '{"big":12345678901234567890,"text":"naïve \u{1f600}","e":1e400}';
    expect(await inbox.keep(delivery([{ json }, { json: "[1]" }]))).toEqual({
      kept: 2,
      wake: true,
    });
    await inbox.keep(delivery([{ json: "{}" }], { connection: "repo" }));
    expect(await rows()).toEqual([
      { seq: 1, receivedAt, json, id: null, isConflict: false },
      { seq: 2, receivedAt, json: "[1]", id: null, isConflict: false },
    ]);
    expect(await inbox.read({ connection: "repo", after: 0, limit: 10 })).toMatchObject([
      { seq: 1, json: "{}" },
    ]);
    expect(await inbox.read({ connection: "none", after: 0, limit: 10 })).toEqual([]);
  });

  it("reads a range in pages, and single rows that are there", async () => {
    await keepMany(5);
    expect(seqs(await inbox.read({ connection, after: 1, upTo: 4, limit: 2 }))).toEqual([2, 3]);
    expect(seqs(await inbox.read({ connection, after: 3, upTo: 4, limit: 2 }))).toEqual([4]);
    expect(seqs(await inbox.read({ connection, after: 5, limit: 2 }))).toEqual([]);
    expect(seqs(await inbox.get({ connection, seqs: [5, 6, 1, 0] }))).toEqual([5, 1]);
    expect(await inbox.get({ connection: "none", seqs: [1] })).toEqual([]);
  });

  it("erases what single events hold, and keeps their numbers", async () => {
    await inbox.keep(delivery([{ json: "1", id: "canary" }, { json: "2" }]));
    await inbox.keep({ ...one("a"), connection: "repo" });
    await inbox.erase({ connection, seqs: [1, 9] });
    expect(await rows()).toMatchObject([
      { seq: 1, json: "{}", id: null },
      { seq: 2, json: "2" },
    ]);
    expect(await inbox.read({ connection: "repo", after: 0, limit: 1 })).not.toMatchObject([
      { json: "{}" },
    ]);
    await inbox.erase({ connection: "none", seqs: [1] });
  });

  it("keeps an event once, by the id of its connection", async () => {
    expect(await inbox.keep(one("a"))).toMatchObject({ kept: 1 });
    expect(await inbox.keep(one("a"))).toEqual({ kept: 0, wake: false });
    expect(await inbox.keep({ ...one("a"), connection: "repo" })).toMatchObject({ kept: 1 });
    const [same] = one("b").events;
    expect(await inbox.keep(delivery([{ json: "{}" }, { json: "{}" }]))).toMatchObject({ kept: 2 });
    expect(same && (await inbox.keep(delivery([same, same])))).toMatchObject({ kept: 1 });
    expect(await rows()).toHaveLength(4);
  });

  it("keeps another body under the same id as a conflict, each body once", async () => {
    for (const json of ["1", "2", "2", "1", "3", "3"]) await inbox.keep(one("a", json));
    expect(await rows()).toMatchObject([
      { seq: 1, json: "1", isConflict: false },
      { seq: 2, json: "2", isConflict: true },
      { seq: 3, json: "3", isConflict: true },
    ]);
  });

  it("takes ids that only differ in half a character for one, as they are stored", async () => {
    await inbox.keep(one("\ud800", "1"));
    await inbox.keep(one("\ud801", "2"));
    expect(await rows()).toMatchObject([{ isConflict: false }, { isConflict: true }]);
  });

  it.each([
    ["that came exactly so long ago", 0, 0],
    ["in whose hour others came later", hourMs - 1, 0],
    ["whose hour is over", hourMs, 1],
  ])("forgets no id of the last seven days: one %s", async (_, ms, forgotten) => {
    const now = receivedAt + eventIdsKeptMs + ms;
    await inbox.keep(one("a"));
    expect(await inbox.forgetIds({ receivedBefore: now - eventIdsKeptMs })).toBe(forgotten);
    expect(await inbox.keep(one("a"))).toMatchObject({ kept: forgotten });
  });

  it("forgets the bodies of an id together, so that none is left to make a conflict of the first", async () => {
    await inbox.keep(one("a", "1"));
    await inbox.keep({ ...one("a", "2"), receivedAt: receivedAt + 1_000 });
    expect(await inbox.forgetIds({ receivedBefore: receivedAt + hourMs })).toBe(2);
    await inbox.keep(one("a", "1"));
    expect((await rows()).at(-1)).toMatchObject({ seq: 3, json: "1", isConflict: false });
  });

  it("forgets them together, too, where they are too many for one transaction", async () => {
    const ids = Array.from({ length: Math.ceil(transactionRowsMax / 3) + 10 }, (_, at) => `${at}`);
    const everyId = async (json: string) =>
      await inbox.keep(delivery(ids.map((id) => ({ json, id }))));
    // In the order of their hashes, so that the first body of an id would be forgotten first.
    for (const json of ["f", "c", "b"]) await everyId(json);
    await inbox.forgetIds({ receivedBefore: receivedAt + hourMs });
    await everyId("f");
    const again = (await rows()).slice(3 * ids.length);
    expect(again.length).toBeGreaterThan(100);
    expect(again.filter(({ isConflict }) => isConflict)).toEqual([]);
  });

  it.each([
    [transactionRowsMax - 1, transactionRowsMax - 1, 0],
    [transactionRowsMax, transactionRowsMax, 0],
    [transactionRowsMax + 1, transactionRowsMax, 1],
  ])("forgets %i ids in transactions of a thousand", async (size, atFirst, then) => {
    const events = Array.from({ length: size }, (_, index) => ({ json: "{}", id: `${index}` }));
    await inbox.keep(delivery(events));
    const old = { receivedBefore: receivedAt + hourMs };
    expect([await inbox.forgetIds(old), await inbox.forgetIds(old)]).toEqual([atFirst, then]);
  });

  it("has one sender wake between two looks, of those that kept something", async () => {
    expect(await inbox.keep(delivery([]))).toEqual({ kept: 0, wake: false });
    expect(await inbox.backlogs()).toEqual([]);
    const together = await Promise.all(
      ["a", "b", "c"].map(async (id) => await inbox.keep(one(id))),
    );
    expect(together.map(({ wake }) => wake)).toEqual([true, false, false]);
    const other = await opened();
    expect(await other.keep({ ...one("d"), connection: "repo" })).toMatchObject({ wake: true });
    expect(await other.keep(one("d"))).toMatchObject({ wake: false });
    expect(await inbox.takeWakeUp({ connection })).toBe(4);
    expect(await inbox.backlogs()).toMatchObject([{ hasWakeUp: false }, { hasWakeUp: true }]);
    expect(await inbox.takeWakeUp({ connection })).toBe(4);
    expect(await inbox.keep(one("d"))).toEqual({ kept: 0, wake: false });
    expect(await other.keep(one("e"))).toEqual({ kept: 1, wake: true });
    expect(await inbox.takeWakeUp({ connection: "none" })).toBe(0);
  });

  it("says how each connection stands", async () => {
    await keepMany(2);
    await inbox.keep(delivery([{ json: "{}" }], { receivedAt: receivedAt + hourMs }));
    const backlog = { connection, last: 3, hasWakeUp: true };
    const stands = async (): Promise<unknown> => (await inbox.backlogs())[0];
    expect(await stands()).toEqual({
      ...backlog,
      accepted: 0,
      waiting: 3,
      oldestMs: since(receivedAt),
    });
    await inbox.setAccepted({ connection, upTo: 2 });
    expect(await stands()).toEqual({
      ...backlog,
      accepted: 2,
      waiting: 1,
      oldestMs: since(receivedAt + hourMs),
    });
    await inbox.setAccepted({ connection, upTo: 3 });
    expect(await stands()).toEqual({ ...backlog, accepted: 3, waiting: 0, oldestMs: null });
    // A sync that is new to the connection has accepted none of its events; removed events wait for nobody.
    await inbox.prune({ connection, upTo: 2 });
    await inbox.setAccepted({ connection, upTo: 0 });
    expect(await stands()).toMatchObject({ accepted: 0, waiting: 1 });
    await inbox.setAccepted({ connection: "none", upTo: 1 });
    expect(await inbox.backlogs()).toHaveLength(1);
  });

  it("knows what leaves next, of each connection, also once it is opened anew", async () => {
    expect(await inbox.leaving({ connection })).toEqual({ upTo: 0, since: 0 });
    await keepMany(2);
    await inbox.keep(delivery([{ json: "{}" }], { connection: "repo" }));
    await inbox.setLeaving({ connection, upTo: 2, since: receivedAt });
    const other = await opened();
    expect(await other.leaving({ connection })).toEqual({ upTo: 2, since: receivedAt });
    expect(await other.leaving({ connection: "repo" })).toEqual({ upTo: 0, since: 0 });
  });

  it("stamps what comes by its own clock", async () => {
    const before = await inbox.now();
    await inbox.keep({ connection, events: [{ json: "1" }, { json: "2" }] });
    const stamps = (await rows()).map((row) => row.receivedAt);
    expect(stamps).toEqual([expect.any(Number), stamps[0]]);
    expect(stamps[0]).toBeGreaterThanOrEqual(before);
    expect(stamps[0]).toBeLessThanOrEqual(await inbox.now());
  });

  it("removes the first events up to a number, and nothing else", async () => {
    await keepMany(4);
    await inbox.keep(delivery([{ json: "{}" }], { connection: "repo" }));
    expect(await inbox.prune({ connection, upTo: 1 })).toBe(1);
    expect(await inbox.prune({ connection, upTo: 2 })).toBe(1);
    expect(await inbox.prune({ connection, upTo: 2 })).toBe(0);
    expect(await rows()).toMatchObject([{ seq: 3 }, { seq: 4 }]);
    expect(await inbox.read({ connection: "repo", after: 0, limit: 10 })).toHaveLength(1);
    expect(await inbox.prune({ connection: "none", upTo: 4 })).toBe(0);
  });

  it.each([
    [transactionRowsMax - 1, transactionRowsMax - 1, 0],
    [transactionRowsMax, transactionRowsMax, 0],
    [transactionRowsMax + 1, transactionRowsMax, 1],
  ])("removes %i events in transactions of a thousand", async (size, atFirst, then) => {
    await keepMany(size);
    const all = { connection, upTo: size };
    expect([await inbox.prune(all), await inbox.prune(all)]).toEqual([atFirst, then]);
  });

  it("removes no more large events at a time than may be kept at a time", async () => {
    const json = `"${"x".repeat(inboxGroupCharsMax / 4)}"`;
    for (let n = 0; n < 5; n++) await inbox.keep(delivery([{ json }]));
    const all = { connection, upTo: 5 };
    expect([await inbox.prune(all), await inbox.prune(all), await inbox.prune(all)]).toEqual([
      4, 1, 0,
    ]);
  });

  it("removes events of a clock that ran ahead, and what comes after them", async () => {
    await keepMany(transactionRowsMax, Date.now() + eventIdsKeptMs);
    await keepMany(3);
    const all = { connection, upTo: transactionRowsMax + 2 };
    expect([await inbox.prune(all), await inbox.prune(all)]).toEqual([transactionRowsMax, 2]);
    expect(await rows()).toMatchObject([{ seq: transactionRowsMax + 3 }]);
  });

  it("gives no sequence number out again, also once it was emptied and opened anew", async () => {
    await keepMany(3);
    await inbox.prune({ connection, upTo: 3 });
    const { inboxId } = inbox;
    await inbox.close();
    inbox = await opened();
    expect(inbox.inboxId).toBe(inboxId);
    expect(await inbox.takeWakeUp({ connection })).toBe(3);
    await keepMany(1);
    expect(await rows()).toMatchObject([{ seq: 4 }]);
  });

  it("is another one in another folder", async () => {
    expect((await opened(await temporaryFolder())).inboxId).not.toBe(inbox.inboxId);
  });

  it("keeps what was handed over before its end, and refuses what comes after", async () => {
    const other = await opened();
    const keeping = other.keep(one("a"));
    await other.close();
    expect(await keeping).toMatchObject({ kept: 1 });
    await expect(other.keep(one("b"))).rejects.toThrow(StateUnavailableError);
    await expect(other.backlogs()).rejects.toThrow(StateUnavailableError);
    expect(await rows()).toHaveLength(1);
  });

  it("keeps the others of a group when one of them cannot be kept", async () => {
    const bad = delivery([{ json: "{}" }], { receivedAt: Number.NaN });
    const kept = await Promise.allSettled(
      [one("a"), bad, one("b")].map(async (each) => await inbox.keep(each)),
    );
    expect(kept).toMatchObject([
      { value: { kept: 1 } },
      { status: "rejected" },
      { value: { kept: 1 } },
    ]);
    expect(await rows()).toMatchObject([{ seq: 1 }, { seq: 2 }]);
    await expect(inbox.keep(bad)).rejects.not.toBeInstanceOf(StateUnavailableError);
  });
});
