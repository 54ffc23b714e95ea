import { hash } from "node:crypto";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

import { messageOf } from "../../../../src/errors.ts";
import { createEventIds, type EventIds } from "../../../../src/inbox/sqlite/event-ids.ts";
import { inboxMigrations } from "../../../../src/inbox/sqlite/migrations.ts";
import { count, type Database, openDatabase } from "../../../../src/state/sqlite/database.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";

const hourMs = 3_600_000;

type Named = { readonly connection: number; readonly id: string; readonly body: string };

/** A step in the life of an inbox's ids. */
type Step =
  | { readonly does: "take" | "fail"; readonly events: readonly Named[] }
  | { readonly does: "pass"; readonly hours: number }
  | { readonly does: "forget" | "restart" };

const events = fc.array(
  fc.record({
    connection: fc.constantFrom(1, 2),
    id: fc.nat(11).map(String),
    body: fc.constantFrom("x", "x", "x", "y"),
  }),
  { maxLength: 6 },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant("take" as const), events }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("fail" as const), events }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("pass" as const), hours: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ does: "forget" } as const, { does: "restart" } as const),
  },
);

/** What an inbox must know, kept in the simplest way. */
class Model {
  #bodies = new Map<string, { readonly at: number; readonly bodies: Set<string> }>();

  take({ connection, id, body }: Named, at: number): string {
    const known = this.#bodies.get(`${connection}${id}`);
    if (known?.bodies.has(body) === true) return "had";
    if (known === undefined)
      this.#bodies.set(`${connection}${id}`, { at, bodies: new Set([body]) });
    else known.bodies.add(body);
    return known === undefined ? "new" : "conflict";
  }

  forget(before: number): void {
    for (const [key, { at }] of this.#bodies) if (at < before) this.#bodies.delete(key);
  }
}

async function openFile(): Promise<() => Database> {
  const file = join(await temporaryFolder(), "inbox.db");
  return () => {
    const db = openDatabase(file, inboxMigrations);
    onTestFinished(() => db.close());
    return db;
  };
}

function takeAll(ids: EventIds, all: readonly Named[], receivedAt: number): readonly string[] {
  return ids.write((take) =>
    all.map(({ connection, id, body }) => take({ connection, id, json: body, receivedAt })),
  );
}

/** Takes ids in a transaction that fails. */
function fail(ids: EventIds, all: readonly Named[], receivedAt: number): void {
  try {
    ids.write((take) => {
      for (const { connection, id, body } of all) take({ connection, id, json: body, receivedAt });
      throw new Error("the disk is full");
    });
  } catch (error) {
    if (messageOf(error) !== "the disk is full") throw error;
  }
}

function named(number: number): Named {
  return { connection: 1, id: `${number}`, body: "x" };
}

/** Processes that take ids into one inbox, and a model of all of it. */
class Processes {
  readonly #dbs: readonly Database[];
  readonly #idsMax: number;
  readonly #all: EventIds[];
  readonly #model = new Model();
  #now = 1_767_571_200_000;

  constructor(dbs: readonly Database[], idsMax: number) {
    this.#dbs = dbs;
    this.#idsMax = idsMax;
    this.#all = dbs.map((db) => createEventIds(db, idsMax));
  }

  /** @returns what a process answered about ids, and what it should have answered. */
  do(process: number, what: Step): { readonly said: unknown; readonly expected: unknown } {
    const [ids, db] = [this.#all[process], this.#dbs[process]];
    if (ids === undefined || db === undefined) throw new Error(`there is no process ${process}`);
    const now = this.#now;
    if (what.does === "take") {
      const expected = what.events.map((each) => this.#model.take(each, now));
      return { said: takeAll(ids, what.events, now), expected };
    }
    if (what.does === "fail") fail(ids, what.events, now);
    else if (what.does === "pass") this.#now += what.hours * hourMs;
    else if (what.does === "restart") {
      this.#all[process] = createEventIds(db, this.#idsMax);
    } else {
      const receivedBefore = now - hourMs;
      while (ids.forgetIds({ receivedBefore }) > 0);
      this.#model.forget(receivedBefore);
    }
    return { said: undefined, expected: undefined };
  }
}

describe("createEventIds", () => {
  it("takes and forgets as one who wrote everything down, whoever of several processes is asked", async () => {
    const open = await openFile();
    const dbs = [open(), open(), open(), open()];
    const beside = open();
    const clear = ["recent_ids", "known_ids", "meta"].map((table) =>
      beside.prepare(`delete from ${table}`),
    );
    const recent = beside.prepare("select count(*) from recent_ids");
    const steps = fc.array(fc.tuple(fc.nat(dbs.length - 1), step), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (all, idsMax) => {
        for (const statement of clear) statement.run();
        const processes = new Processes(dbs, idsMax);
        for (const [process, what] of all) {
          const { said, expected } = processes.do(process, what);
          expect(said).toEqual(expected);
        }
        // Full segments do not stay: they are removed as new ids come.
        expect(count(recent)).toBeLessThanOrEqual(3 * idsMax + 12);
      }),
      { numRuns: 300 },
    );
  });

  it("merges ids while others come, and knows them there", async () => {
    const open = await openFile();
    const db = open();
    const ids = createEventIds(db, 100);
    const rows = (table: string): number => count(db.prepare(`select count(*) from ${table}`));
    for (const number of numbers(100)) takeAll(ids, [named(number)], 0);
    expect([rows("recent_ids"), rows("known_ids")]).toEqual([100, 0]);
    for (const number of numbers(50)) takeAll(ids, [named(100 + number)], 0);
    expect([rows("recent_ids"), rows("known_ids")]).toEqual([50, 100]);
    const again = takeAll(ids, numbers(150).map(named), 0);
    expect(new Set(again)).toEqual(new Set(["had"]));
    expect(rows("recent_ids")).toBe(50);
  });

  it("continues after a kill where ids were half merged", async () => {
    const open = await openFile();
    const db = open();
    const before = createEventIds(db, 100);
    for (const number of numbers(120)) takeAll(before, [named(number)], 0);
    expect(count(db.prepare("select count(*) from known_ids"))).toBe(40);
    const after = createEventIds(open(), 100);
    expect(new Set(takeAll(after, numbers(120).map(named), 0))).toEqual(new Set(["had"]));
    for (const number of numbers(100)) takeAll(after, [named(200 + number)], 0);
    expect(count(db.prepare("select count(*) from known_ids"))).toBe(140);
    expect(count(db.prepare("select count(*) from recent_ids"))).toBe(120);
  });

  it("holds no more of them the more processes take ids", async () => {
    const open = await openFile();
    const processes = numbers(6).map(() => createEventIds(open(), 50));
    const recent = open().prepare("select count(*) from recent_ids");
    const most = numbers(100).map((round) => {
      for (const [index, ids] of processes.entries()) takeAll(ids, [named(round * 6 + index)], 0);
      return count(recent);
    });
    expect(Math.max(...most)).toBeLessThanOrEqual(150);
  });

  it("knows the ids that an inbox had before ids were merged", async () => {
    const file = join(await temporaryFolder(), "inbox.db");
    const before = openDatabase(file, inboxMigrations.slice(0, 1));
    const insert = before.prepare("insert into event_ids values (1, ?, ?, 0)");
    const [id, body] = ["a", "x"].map((text) => hash("sha256", text, "buffer").subarray(0, 16));
    insert.run(id ?? null, body ?? null);
    before.close();
    const db = openDatabase(file, inboxMigrations);
    onTestFinished(() => db.close());
    const ids = createEventIds(db);
    const bodies = ["x", "y", "y"].map((text) => ({ connection: 1, id: "a", body: text }));
    expect(takeAll(ids, bodies, hourMs)).toEqual(["had", "conflict", "had"]);
    expect(ids.forgetIds({ receivedBefore: hourMs })).toBe(2);
  });
});
