import { describe, expect, it } from "vitest";

import { reportReasonsMax } from "../../../src/limits.ts";
import { buildReport, imbalance, pullImbalance } from "../../../src/report/report.ts";
import type { PullTally } from "../../../src/state/contract/pull/pull-runs.ts";
import type { RejectReason } from "../../../src/state/contract/rejects/rejects.ts";
import type { Run } from "../../../src/state/contract/runs/runs.ts";
import type { Tally } from "../../../src/state/contract/runs/tally.ts";
import { numbers } from "../../support/sequences.ts";

const tally: Tally = {
  read: 100,
  sent: 60,
  unchanged: 20,
  filtered: 15,
  rejected: 5,
  staged: 60,
  refused: 5,
  again: 0,
  chunks: 3,
  parts: 2,
  jsonBytes: 9_000,
  gzipBytes: 900,
};

const run: Run = {
  runId: "accounts-1",
  sync: "accounts",
  target: "sandbox",
  kind: "sync",
  workflowId: "wf",
  firstRunId: "first",
  temporalId: "temporal default",
  placesAreLines: true,
  fence: 1,
  configHash: "c0ffee",
  request: {},
  mode: "heavyweight",
  modeReason: "it was asked for",
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:02.500Z",
  outcome: "done_with_rejects",
  failure: null,
  nominalAt: null,
  fromPosition: null,
  toPosition: null,
  oldestOpen: null,
  future: 2,
  gone: 0,
  checkpointBefore: 4,
  hold: null,
  checkpointVersion: 6,
  requests: 7,
  retries: 1,
  idleMs: 0,
  waitedMs: 1_500,
  possiblyRepeated: 30,
  splits: 0,
  vanished: null,
  warnings: [],
};

const reason: RejectReason = {
  code: "not_domain",
  count: 5,
  chunk: 2,
  ordinal: 9,
  place: "in/accounts.csv:17",
  field: "domain",
};

const pull: PullTally = {
  read: 50,
  written: 20,
  unchanged: 15,
  missing: 10,
  results: 49,
  refused: 5,
  rejected: 5,
  pages: 3,
  calls: 6,
  possiblyPaidTwice: 1,
  repeated: 2,
  domains: 8,
  domainsDone: 3,
  domainsRefused: 1,
  roundsDone: 0,
  isContinued: true,
};

describe("pullImbalance", () => {
  it("finds none where every result is accounted for", () => {
    expect(pullImbalance(pull)).toBeUndefined();
  });

  it.each([
    [{ rejected: 4 }, "rejected: 5 results were refused, the reject store holds 4"],
    [{ written: 21 }, "read: 50 results came, 51 are accounted for"],
    [{ unchanged: 14 }, "read: 50 results came, 49 are accounted for"],
    [{ missing: 0 }, "read: 50 results came, 40 are accounted for"],
    [{ read: 49 }, "read: 49 results came, 50 are accounted for"],
  ])("names the bucket and both its numbers: %o", (change, message) => {
    expect(pullImbalance({ ...pull, ...change })).toBe(message);
  });
});

describe("imbalance", () => {
  it("finds none where every bucket is the same from both sides", () => {
    expect(imbalance(tally)).toBeUndefined();
  });

  it.each([
    ["sent", { sent: 59 }, "sent: 60 records were staged, the receipts hold 59"],
    ["sent", { staged: 61 }, "sent: 61 records were staged, the receipts hold 60"],
    ["rejected", { rejected: 6 }, "rejected: 5 rows were refused, the reject store holds 6"],
    ["rejected", { refused: 4 }, "rejected: 4 rows were refused, the reject store holds 5"],
    ["read", { read: 101 }, "read: 101 rows were read, 100 are accounted for"],
    ["unchanged", { unchanged: 19 }, "read: 100 rows were read, 99 are accounted for"],
    ["filtered", { filtered: 16 }, "read: 100 rows were read, 101 are accounted for"],
  ])("names the bucket and both its numbers: %s, %o", (_, change, message) => {
    expect(imbalance({ ...tally, ...change })).toBe(message);
  });
});

describe("buildReport", () => {
  it("leaves out of the time that a run took the time in which nothing ran", () => {
    const durations = [0, 2_000, 9_000].map(
      (idleMs) => buildReport({ run: { ...run, idleMs }, tally, reasons: [] }).duration_ms,
    );
    expect(durations).toEqual([2_500, 500, 0]);
  });

  it("says all that is known of a run", () => {
    expect(buildReport({ run, tally, reasons: [reason] })).toEqual({
      warnings: [],
      run_id: "accounts-1",
      workflow_id: "wf",
      sync: "accounts",
      kind: "sync",
      outcome: "done_with_rejects",
      mode: "heavyweight",
      mode_reason: "it was asked for",
      counts: { read: 100, sent: 60, unchanged: 20, filtered: 15, rejected: 5 },
      balanced: true,
      chunks: 3,
      parts: 2,
      bytes: { json: 9_000, gzip: 900 },
      requests: 7,
      retries: 1,
      possibly_repeated: 30,
      waited_ms: 1_500,
      stamped_in_future: 2,
      checkpoint: { before: 4, after: 6 },
      reject_reasons: [
        {
          code: "not_domain",
          reason: "a value is not a domain",
          count: 5,
          example: "in/accounts.csv:17",
        },
      ],
      config_hash: "c0ffee",
      started_at: "2026-01-01T00:00:00.000Z",
      ended_at: "2026-01-01T00:00:02.500Z",
      duration_ms: 2_500,
    });
  });

  it("says of a pull what came and what became of it, and never its place", () => {
    const nothing = { ...tally, read: 0, sent: 0, unchanged: 0, filtered: 0, rejected: 0 };
    const ofPull = { ...run, kind: "pull", sync: "scores", placesAreLines: false } as const;
    const report = buildReport({ run: ofPull, tally: nothing, reasons: [reason], pull });
    expect(report).toMatchObject({
      kind: "pull",
      balanced: true,
      counts: { read: 50, sent: 0, unchanged: 15, filtered: 0, rejected: 5 },
      reject_reasons: [{ example: "reject 2.9" }],
    });
    expect(report.pull).toEqual({
      written: 20,
      unchanged: 15,
      missing: 10,
      pages: 3,
      calls: 6,
      possibly_paid_twice: 1,
      repeated: 2,
      continued: true,
      finished: false,
      domains: { listed: 8, done: 3, refused: 1 },
    });
    const lost = buildReport({ run: ofPull, tally, reasons: [], pull: { ...pull, written: 19 } });
    expect(lost.balanced).toBe(false);
  });

  it("carries what ended the run, and that it does not balance", () => {
    const failure = { code: "NotBalanced", message: "the run does not balance" };
    const report = buildReport({
      run: { ...run, outcome: "failed", failure },
      tally: { ...tally, read: 101 },
      reasons: [],
    });
    expect(report).toMatchObject({ outcome: "failed", error: failure, balanced: false });
  });

  it.each([
    ["a place that may hold a key", "crm.companies:a key\n7"],
    ["a table's row", "crm.companies:ada@example.com"],
    ["a record's number", "chunk 1, record 3"],
  ])("gives the reject's number for %s, because it goes into Temporal", (_, place) => {
    const { reject_reasons } = buildReport({ run, tally, reasons: [{ ...reason, place }] });
    expect(reject_reasons[0]?.example).toBe("reject 2.9");
  });

  it("gives the reject's number where places hold keys, and a key may look like a line", () => {
    const { reject_reasons } = buildReport({
      run: { ...run, placesAreLines: false },
      tally,
      reasons: [{ ...reason, place: "crm.companies:42" }],
    });
    expect(reject_reasons[0]?.example).toBe("reject 2.9");
  });

  it("lets a connector's own code stand for itself", () => {
    const own = { ...reason, code: "ragged_row" };
    expect(buildReport({ run, tally, reasons: [own] }).reject_reasons[0]?.reason).toBe(
      "ragged row",
    );
  });

  it.each([
    [reportReasonsMax - 1, reportReasonsMax - 1],
    [reportReasonsMax, reportReasonsMax],
    [reportReasonsMax + 1, reportReasonsMax],
  ])("of %i reasons names %i", (count, named) => {
    const reasons = numbers(count).map((n) => ({ ...reason, code: `code_${n}` }));
    expect(buildReport({ run, tally, reasons }).reject_reasons).toHaveLength(named);
  });
});
