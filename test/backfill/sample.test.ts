import { describe, expect, it } from "vitest";

import type { Source } from "../../connectors/contract/connector.ts";
import { planSamplesMax, sampleRowsMax } from "../../src/backfill/limits.ts";
import { accountsCsv } from "../support/project/harness.ts";
import { arrayPageRows, arraySource } from "./array-source.ts";
import { accounts, PlanTest, shownOf, withArray } from "./plan-test.ts";

describe("the sample of a plan", () => {
  const header = "id,domain,name";

  it("counts rejects by their reasons, of every step that refuses rows", async () => {
    const lines = [header, "a,a.example,A", "b,,B", "c,,C", "d,d.example", "a,a.example,A", ""];
    const test = await PlanTest.open(lines.join("\n"));
    const { plan } = await test.plan();
    expect(plan.sample).toMatchObject({
      rows: 5,
      new: 1,
      changed: 0,
      unchanged: 0,
      filtered: 0,
      rejects: [
        { code: "required", reason: "a required field is empty", count: 2 },
        { code: "ragged_row", reason: "ragged row", count: 1 },
        { code: "duplicate_key", reason: "same key as an earlier row", count: 1 },
      ],
    });
    expect(plan).toMatchObject({ rows: 5, is_counted: true, records: 1, chunks: 1 });
  });

  it("compares with what the service accepted and names the fields that differ", async () => {
    const test = await PlanTest.open(`${header}\na,a.example,A\nb,b.example,B\nc,c.example,C\n`);
    await test.send();
    const changed = `${header}\na,a.example,A\nb,x.example,Bo\nc,c.example,Co\nd,d.example,D\n`;
    await test.harness.write("accounts.csv", changed);
    const { plan, samples } = await test.plan();
    expect(plan.sample).toMatchObject({
      new: 1,
      changed: 2,
      unchanged: 1,
      fields: [
        { field: "account_properties.name", count: 2 },
        { field: "domain", count: 1 },
      ],
    });
    expect(plan).toMatchObject({ send: "changed", records: 3 });
    expect(shownOf(samples)).toMatchObject([
      { place: "accounts.csv:2", key: "a", status: "unchanged" },
      { key: "b", status: "changed", changed_fields: ["domain", "account_properties.name"] },
      { key: "c", status: "changed", record: { account_properties: { name: "Co" } } },
      { key: "d", status: "new" },
    ]);
    expect((await test.plan({ send: "all" })).plan).toMatchObject({ send: "all", records: 4 });
  });

  // The harness's clock is ten months behind `now`.
  it.each([
    ["300d", 4],
    ["400d", 0],
  ])("counts as sent what was accepted too long ago: resend_after %s", async (after, records) => {
    const test = await PlanTest.open(accountsCsv(4), `resend_after: ${after}`);
    await test.send();
    expect((await test.plan()).plan).toMatchObject({ sample: { unchanged: 4 }, records });
  });

  it("says that all is sent where the sync keeps nothing to compare with", async () => {
    const test = await PlanTest.open(accountsCsv(4), "send: all");
    expect((await test.plan({ send: "changed" })).plan).toMatchObject({ send: "all", records: 4 });
  });

  it("reads no further than it needs, and keeps a few records", async () => {
    const test = await PlanTest.open(accountsCsv(1));
    const { source, read } = arraySource(accounts(20_000));
    const { plan, samples } = await test.plan({}, source);
    expect(read()).toBe(sampleRowsMax);
    expect(plan.sample.rows).toBe(sampleRowsMax);
    expect(samples).toHaveLength(planSamplesMax);
  });

  it("stops a source that would yield more, and ends after a page of its own", async () => {
    const [test, source] = await withArray(20_000);
    let read = 0;
    const eager: Source = {
      ...source,
      read: async function* readAll(ask) {
        for await (const page of source.read({ ...ask, limit: undefined })) {
          read += page.rows.length;
          yield page;
        }
      },
    };
    expect((await test.plan({}, eager)).plan.sample.rows).toBe(sampleRowsMax);
    expect(read).toBe(sampleRowsMax);
  });

  it("leaves the store as it is", async () => {
    const test = await PlanTest.open(accountsCsv(10));
    await test.plan();
    const { state, deps } = test.harness;
    const name = { target: deps.target, sync: "accounts" };
    expect(await state.fieldSlots({ ...name, names: [] })).toEqual([]);
    expect(await state.knownRecords({ ...name, keys: ["a0"] })).toEqual([{ state: "new" }]);
    expect(await test.harness.sandbox.ledger()).toEqual([]);
  });

  it.each([true, false])(
    "ends when it is cancelled, by a source that listens: %s",
    async (listens) => {
      const test = await PlanTest.open(accountsCsv(1));
      const controller = new AbortController();
      let pages = 0;
      const eachPage = (): void => {
        pages += 1;
        if (pages === 2) controller.abort(new Error("cancelled"));
      };
      const { source, read } = arraySource(accounts(1_000), { eachPage });
      const deaf = new AbortController().signal;
      const given: Source = listens
        ? source
        : { ...source, read: (ask) => source.read({ ...ask, signal: deaf }) };
      await expect(test.plan({}, given, controller)).rejects.toThrow("cancelled");
      expect(read()).toBe(listens ? arrayPageRows : 2 * arrayPageRows);
    },
  );
});
