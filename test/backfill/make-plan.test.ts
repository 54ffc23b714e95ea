import { describe, expect, it } from "vitest";

import type { Measure, Source } from "../../connectors/contract/connector.ts";
import { laneRowsMin, sampleRowsMax } from "../../src/backfill/limits.ts";
import { planMoved } from "../../src/backfill/make-plan.ts";
import type { BackfillPlan } from "../../src/backfill/plan.ts";
import { accountsCsv } from "../support/project/harness.ts";
import { arraySource, firstDay } from "./array-source.ts";
import { accounts, now, PlanTest, problemOf, shownOf, withArray } from "./plan-test.ts";

async function tooMany(): Promise<Measure> {
  return { rows: 1_500, exact: false };
}

/** Ten bytes a row. */
function measureBytes(source: Source): NonNullable<Source["measure"]> {
  return async (ask) => ({
    bytes: ((await source.measure?.(ask))?.rows ?? 0) * 10,
    exact: true,
  });
}

describe("the span of a plan", () => {
  it("goes from beginning to end where no end is named", async () => {
    const [test, source] = await withArray(40);
    const { plan, spans } = await test.plan({}, source);
    expect(spans).toEqual([{ from: null, to: null }]);
    expect(plan).toMatchObject({ from: null, to: null, keys: null, rows: 40, lanes: [40] });
  });

  it("finds times and places by the source, and says them as they were understood", async () => {
    const [test, source] = await withArray(40);
    const { plan, spans } = await test.plan(
      {
        from: { text: "2026-01-11 00:00 UTC", time: new Date(firstDay + 10 * 86_400_000) },
        to: { text: "row 30", place: "row 30" },
      },
      source,
    );
    expect(spans).toEqual([{ from: { covered: 10 }, to: { covered: 30 } }]);
    expect(plan).toMatchObject({
      from: "2026-01-11 00:00 UTC",
      to: "row 30",
      time_zone: "Europe/Paris",
      rows: 20,
      is_counted: true,
      sample: { rows: 20 },
      config_hash: test.harness.deps.config.syncs.get("accounts")?.configHash,
      planned_at: now.toISOString(),
    });
  });

  it.each([
    [{ from: { text: "t", time: now } }, "from", "a time"],
    [{ to: { text: "t", time: now } }, "to", "a time"],
    [{ to: { text: "row 1", place: "row 1" } }, "to", "a place"],
  ])("says what to do where the source can only be read: %j", async (asked, field, what) => {
    const test = await PlanTest.open(accountsCsv(1));
    const { source } = arraySource(accounts(3), { abilities: [] });
    const error = await problemOf(test.plan(asked, source));
    expect(error.field).toBe(field);
    expect(error.message).toBe(`connection exports cannot find ${what} in its source`);
    expect(error.hint).toContain(`leave out "${field}": it then`);
  });

  it("says so where the source cannot read single rows", async () => {
    const [test, source] = await withArray(3);
    const error = await problemOf(test.plan({ keys: ["a1"] }, source));
    expect(error.field).toBe("keys");
    expect(error.message).toBe("a connection of array cannot read single rows by their keys");
    expect(error.hint).toContain("leave the keys out");
  });

  it("names the other kind of end where the source has that one", async () => {
    const test = await PlanTest.open(accountsCsv(1));
    const byPlace = arraySource(accounts(3), { abilities: ["before"] }).source;
    const byTime = arraySource(accounts(3), { abilities: ["at"] }).source;
    const time = { from: { text: "t", time: now } };
    const place = { from: { text: "row 1", place: "row 1" } };
    expect((await problemOf(test.plan(time, byPlace))).hint).toContain("name a place");
    expect((await problemOf(test.plan(place, byTime))).hint).toContain("name a time");
  });

  it("hands on what the source says of a place", async () => {
    const [test, source] = await withArray(3);
    const asked = { from: { text: "line 3", place: "line 3" } };
    expect((await problemOf(test.plan(asked, source))).hint).toBe('say "row 12"');
  });
});

describe("the rows of a plan", () => {
  it("are not known of a source that counts none, unless the sample is all of it", async () => {
    const test = await PlanTest.open(accountsCsv(1));
    const more = arraySource(accounts(sampleRowsMax + 1), { abilities: [] }).source;
    const { plan } = await test.plan({ lanes: 4 }, more);
    expect(plan).toMatchObject({
      rows: null,
      is_counted: false,
      lanes: [null],
      records: null,
      json_bytes: null,
      gzip_bytes: null,
      chunks: null,
      requests: null,
      seconds: null,
    });
    const all = arraySource(accounts(sampleRowsMax - 1), { abilities: [] }).source;
    expect((await test.plan({}, all)).plan).toMatchObject({
      rows: sampleRowsMax - 1,
      is_counted: true,
    });
  });

  it("are estimated from the bytes of a file", async () => {
    const rows = 5_000;
    const test = await PlanTest.open(accountsCsv(rows));
    const { plan } = await test.plan();
    expect(Math.abs((plan.rows ?? 0) - rows)).toBeLessThan(rows * 0.1);
    expect(plan.records).toBe(plan.rows);
  });

  it("are not guessed where nobody knows how far the sample reaches into the bytes", async () => {
    const [test, source] = await withArray(20_000);
    const bytes = measureBytes(source);
    const measure: Source["measure"] = async (ask) => ({
      ...(await bytes(ask)),
      exact: ask.to === undefined,
    });
    expect((await test.plan({}, { ...source, measure })).plan.rows).toBeNull();
  });

  it("are what the sample found where an estimate says otherwise", async () => {
    const [test, source] = await withArray(7);
    const { plan } = await test.plan({}, { ...source, measure: tooMany });
    expect(plan).toMatchObject({ rows: 7, is_counted: true });
  });

  it("are as many as the limit, in one lane", async () => {
    const [test, source] = await withArray(20_000);
    const { plan, spans } = await test.plan({ limit: 15_000, lanes: 4 }, source);
    expect(plan).toMatchObject({ rows: 15_000, is_counted: true, limit: 15_000, lanes: [15_000] });
    expect(spans).toHaveLength(1);
    const few = await test.plan({ limit: 30 }, source);
    expect(few.plan).toMatchObject({ rows: 30, is_counted: true, sample: { rows: 30 } });
    const beyond = await test.plan({ limit: 30_000 }, source);
    expect(beyond.plan).toMatchObject({ rows: 20_000, is_counted: true });
  });

  it("are those of the keys that were named, each once", async () => {
    const test = await PlanTest.open(accountsCsv(10));
    const keys = ["accounts.csv:3", "accounts.csv:5", "accounts.csv:99", "accounts.csv:3"];
    const { plan, spans, samples } = await test.plan({ keys, lanes: 4 });
    expect(plan).toMatchObject({
      keys: 3,
      rows: 3,
      is_counted: true,
      lanes: [3],
      records: 2,
      sample: { rows: 3, new: 2, rejects: [{ code: "row_gone", count: 1 }] },
    });
    expect(spans).toEqual([{ from: null, to: null }]);
    expect(shownOf(samples).map(({ key }) => key)).toEqual(["a1", "a3"]);
  });
});

describe("the lanes of a plan", () => {
  it.each([
    [4, laneRowsMin * 4, [5_000, 5_000, 5_000, 5_000]],
    [4, laneRowsMin * 2 + 1, [5_001, 5_000]],
    [4, laneRowsMin * 2, [5_000, 5_000]],
    [4, laneRowsMin * 2 - 1, [9_999]],
    [2, laneRowsMin * 4, [10_000, 10_000]],
  ])("are at most %i for %i rows, each worth its while, and counted", async (lanes, rows, each) => {
    const [test, source] = await withArray(rows);
    const { plan, spans } = await test.plan({ lanes }, source);
    expect(plan.lanes).toEqual(each);
    expect(spans).toHaveLength(each.length);
    expect(spans[0]?.from).toBeNull();
    expect(spans.at(-1)?.to).toBeNull();
    for (const [index, span] of spans.slice(1).entries())
      expect(span.from).toEqual(spans[index]?.to);
  });

  it("share the rows where they are estimated", async () => {
    const [test, source] = await withArray(20_000);
    const estimated: Source = { ...source, measure: async () => ({ rows: 24_000, exact: false }) };
    const { plan } = await test.plan({ lanes: 4 }, estimated);
    expect(plan).toMatchObject({ is_counted: false, lanes: [6_000, 6_000, 6_000, 6_000] });
  });

  it("hold as much of the rows as of the bytes of a source that counts only those", async () => {
    const [test, source] = await withArray(20_000);
    const byBytes = { ...source, measure: measureBytes(source) };
    const cut = [{ to: { covered: 5_000 } }, { from: { covered: 5_000 } }];
    const { plan } = await test.plan({ lanes: 2 }, { ...byBytes, split: async () => cut });
    expect(plan).toMatchObject({ rows: 20_000, is_counted: false, lanes: [5_000, 15_000] });
  });

  it("are refused where they leave out a row or hold one twice", async () => {
    const [test, source] = await withArray(20_000);
    const cuts = [
      [{ to: { covered: 9 } }, { from: { covered: 10 } }],
      [{ to: { covered: 10 } }, { from: { covered: 9 } }],
      [{}, { from: { covered: 10 } }],
      [{}, {}],
      [{ to: { covered: 10 } }, { from: { covered: 10 }, to: { covered: 11 } }],
      [{ from: { covered: 1 }, to: { covered: 10 } }, { from: { covered: 10 } }],
    ];
    for (const cut of cuts) {
      const error = await problemOf(test.plan({ lanes: 4 }, { ...source, split: async () => cut }));
      expect(error.field).toBe("lanes");
      expect(error.hint).toContain('"lanes": 1');
    }
  });

  it("are one where the source cannot cut", async () => {
    const test = await PlanTest.open(accountsCsv(1));
    const { source } = arraySource(accounts(20_000), { abilities: ["measure"] });
    expect((await test.plan({ lanes: 4 }, source)).plan.lanes).toEqual([20_000]);
  });
});

describe("planMoved", () => {
  const plan: BackfillPlan = {
    sync: "accounts",
    from: null,
    to: null,
    keys: null,
    time_zone: "UTC",
    rows: 5_000,
    is_counted: true,
    limit: null,
    lanes: [5_000],
    send: "changed",
    mode: "heavyweight",
    mode_reason: "why",
    sample: {
      rows: 0,
      rejects: [],
      filtered: 0,
      new: 0,
      changed: 0,
      unchanged: 0,
      fields: [],
      json_bytes: 0,
      gzip_bytes: 0,
      ms: 1,
    },
    records: 5_000,
    json_bytes: 1,
    gzip_bytes: 1,
    chunks: 1,
    requests: 3,
    seconds: 1,
    seconds_from: "x",
    config_hash: "h",
    planned_at: now.toISOString(),
  };

  it.each([
    [5_000, 5_100],
    [5_000, 4_900],
    [50_000, 50_500],
    [50, 1],
    [0, 50],
    [null, null],
  ])("takes %j rows and %j for the same", (before, after) => {
    expect(planMoved({ ...plan, rows: before }, { ...plan, rows: after })).toBeUndefined();
  });

  it.each([
    [5_000, 5_101],
    [5_000, 4_899],
    [50_000, 50_501],
    [50, 0],
    [null, 5],
    [5, null],
  ])("does not take %j rows and %j for the same", (before, after) => {
    const sentence = planMoved({ ...plan, rows: before }, { ...plan, rows: after });
    expect(sentence).toContain("the source moved since the plan was made");
  });

  it("says what it held and holds", () => {
    expect(planMoved(plan, { ...plan, rows: 7_000 })).toBe(
      "the source moved since the plan was made: it held 5000 rows, now it holds 7000 rows",
    );
  });

  it("notices another configuration first", () => {
    expect(planMoved(plan, { ...plan, config_hash: "other", rows: 1 })).toBe(
      "the configuration of sync accounts changed since the plan was made",
    );
  });
});
