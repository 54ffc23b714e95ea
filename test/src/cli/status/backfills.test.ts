import { expect, it } from "vitest";

import { backfillText } from "../../../../src/cli/status/backfills.ts";
import { reportWith } from "../../../support/project/report.ts";

it("the rows of a backfill are counted as they are read, and it says what it waits for", () => {
  const counts = { read: 1_000, sent: 1_000, unchanged: 0, filtered: 0, rejected: 0 };
  const underWay = { read: 700, records: 600, unchanged: 100, filtered: 0, rejected: 0 };
  const report = reportWith({ kind: "backfill", counts, under_way: underWay });
  const text = backfillText({ report, waiting: "lane 1: rate limited", problem: undefined });
  expect(text).toMatch(
    /^backfill run-1 of accounts since \S+: read 1,700, sent 1,000; lane 1: rate limited$/,
  );
});
