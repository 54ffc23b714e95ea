import { describe, expect, it } from "vitest";

import { Nightly, session } from "./nightly.ts";

describe("a nightly sync of a Postgres table", () => {
  it("finds a row that was stamped before the last run and committed after it", async () => {
    const nightly = await Nightly.open();
    const late = await session(nightly.database.url);
    await late.query("begin");
    await late.query("insert into companies values (1, 'late.example', 'Late', null, now())");
    await nightly.database.query("insert into companies values (2, 'b.example', 'B', null)");
    expect((await nightly.night()).counts).toMatchObject({ read: 1, sent: 1 });
    await late.query("commit");
    expect((await nightly.night()).counts).toMatchObject({ read: 2, sent: 1, unchanged: 1 });
  });

  it("goes back to a transaction that was open longer than the overlap is", async () => {
    const nightly = await Nightly.open("1ms");
    const late = await session(nightly.database.url);
    await late.query("begin; insert into companies values (1, 'late.example', 'Late', null)");
    await nightly.database.query("insert into companies values (2, 'b.example', 'B', null)");
    expect((await nightly.night()).counts).toMatchObject({ read: 1, sent: 1 });
    await late.query("commit");
    expect((await nightly.night()).counts).toMatchObject({ sent: 1, unchanged: 1 });
    expect((await nightly.night()).counts).toMatchObject({ read: 0 });
  });

  it("stops when a column that the mapping reads goes in its midst", async () => {
    const nightly = await Nightly.open();
    await nightly.fill(1500);
    const run = await nightly.begin();
    const first = await run.stage();
    await run.send(first);
    await run.commit(first);
    await nightly.database.query("alter table companies rename name to title");
    await expect(run.stage(2)).rejects.toThrow(/reads the column "name", which .* does not have/);
  });

  it("leaves a row that is stamped in the future until its time, and counts it", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      `insert into companies values (1, 'a.example', 'A', null, now()), (2, 'b.example', 'B', null, '2099-01-01')`,
    );
    const first = await nightly.night();
    expect(first.counts).toMatchObject({ read: 1, sent: 1 });
    expect(first.stamped_in_future).toBe(1);
    await nightly.database.query("update companies set updated_at = now() where id = 2");
    const second = await nightly.night();
    expect(second.counts).toMatchObject({ sent: 1 });
    expect(second.stamped_in_future).toBe(0);
  });

  it("does not go further back with each night in which nothing changed", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      `insert into companies values (1, 'a.example', 'A', null, now() - interval '5 hours')`,
    );
    const reads: number[] = [];
    for (let night = 0; night < 3; night += 1) reads.push((await nightly.night()).counts.read);
    expect(reads).toEqual([1, 1, 1]);
    await nightly.database.query("update companies set updated_at = now() - interval '10 hours'");
    expect((await nightly.night()).counts.read).toBe(0);
    expect((await nightly.night()).counts.read).toBe(0);
  });

  it("reads all of a table that another was swapped for, also in the midst of a run", async () => {
    const nightly = await Nightly.open("0");
    await nightly.fill(1_500);
    // Most of its rows are stamped before what was already read.
    const swap = async (name: string): Promise<void> => {
      await nightly.database.query(
        `create table new (like companies including all);
         insert into new select id, domain, '${name}', internal, updated_at from companies;
         update new set updated_at = updated_at - interval '3 days' where id <= 1000;
         drop table companies; alter table new rename to companies`,
      );
    };
    await nightly.night();
    await swap("Swapped");
    const swapped = await nightly.night();
    expect(swapped.counts).toMatchObject({ read: 1_500, sent: 1_500 });
    expect(swapped.warnings).toEqual([
      expect.stringMatching(/^public\.companies is another table.*: everything is read again$/),
    ]);
    expect((await nightly.night()).counts).toMatchObject({ sent: 0 });
    await nightly.database.query("update companies set name = 'Changed', updated_at = now()");
    const run = await nightly.begin();
    const first = await run.stage();
    await run.send(first);
    await run.commit(first);
    await swap("Swapped again");
    const second = await run.stage(2);
    await run.send(second);
    await run.commit(second);
    await run.close();
    expect((await nightly.night()).counts).toMatchObject({ read: 1_500, sent: 1_000 });
    expect((await nightly.night()).warnings).toEqual([]);
  });
});
