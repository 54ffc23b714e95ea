import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { agesOf, bytesOfAges, idsPerBlock } from "../../../../src/state/sqlite/keys/age-blocks.ts";
import { shortenAges } from "../../../../src/state/sqlite/migrations/migration-age-runs.ts";

/** The age of the first row of a staging. */
const first = 7 * 2 ** 24;

/** A block, given the age of each of its ids. */
function blockOf(age: (id: number) => number): Float64Array {
  return Float64Array.from({ length: idsPerBlock }, (_, id) => age(id));
}

/** Bytes that are not at the start of their memory, as SQLite may return them. */
function within(bytes: Uint8Array): Uint8Array {
  return new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, 3 + bytes.length);
}

const wholeBytes = 8 * idsPerBlock;

describe("bytesOfAges", () => {
  it.each<[what: string, bytes: number, age: (id: number) => number]>([
    ["no age", 0, () => 0],
    ["rows that came in the order of their ids", 12, (id) => first + id],
    ["the first id alone", 12, (id) => (id === 0 ? first : 0)],
    ["the last id alone", 12, (id) => (id === idsPerBlock - 1 ? first : 0)],
    ["rows of two stagings", 24, (id) => (id < 5_000 ? first + id : 2 * first + id)],
    ["a gap of one id", 24, (id) => (id === 4_000 ? 0 : first + id)],
    ["rows of one age", wholeBytes, () => first],
    ["rows in the other order", wholeBytes, (id) => first - id],
    ["ages that no smaller number holds", 12, (id) => 2 ** 52 + id],
    // The largest number of runs that fits, and the first that does not.
    ["5,461 runs", 5_461 * 12, (id) => (id < 5_461 ? first - id : 0)],
    ["5,462 runs", wholeBytes, (id) => (id < 5_462 ? first - id : 0)],
  ])("holds %s in %i bytes", (_, bytes, age) => {
    const ages = blockOf(age);
    const column = bytesOfAges(ages);
    expect(column.length).toBe(bytes);
    expect(agesOf(within(column))).toEqual(ages);
  });
});

it("shortens the blocks of an older store, and leaves their ages as they are", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("create table sighted_blocks (set_id, block, ages, primary key (set_id, block))");
  const put = db.prepare("insert into sighted_blocks (set_id, block, ages) values (?, ?, ?)");
  const blocks = [
    blockOf((id) => first + id),
    blockOf((id) => first - id),
    blockOf((id) => (id % 100 === 0 ? first + id : 0)),
  ];
  for (const [block, ages] of blocks.entries())
    put.run(block % 2, block, new Uint8Array(ages.buffer));
  shortenAges(db);
  const columns = db.prepare("select age_runs from sighted_blocks order by block").all();
  const ages = columns
    .map((row) => row["age_runs"])
    .map((bytes) => (bytes instanceof Uint8Array ? bytes : new Uint8Array()));
  expect(ages.map(agesOf)).toEqual(blocks);
  expect(ages.map(({ length }) => length)).toEqual([12, wholeBytes, 82 * 12]);
  db.close();
});

it("lets no older process that slept meanwhile take the blocks for its own", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("create table sighted_blocks (set_id, block, ages, primary key (set_id, block))");
  const older = db.prepare("select block, ages from sighted_blocks where set_id = 1");
  expect(older.all()).toEqual([]);
  shortenAges(db);
  expect(() => older.all()).toThrow("no such column: ages");
  db.close();
});
