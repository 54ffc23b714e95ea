import { describe, expect, it } from "vitest";

import { progressText } from "../../../../src/cli/output/progress-text.ts";
import { reportText } from "../../../../src/cli/output/report-text.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { noCounts, type Progress } from "../../../../workflows/sync/progress.ts";
import { reportWith } from "../../../support/project/report.ts";

const report = reportWith({
  mode_reason: "there is nothing to send",
  counts: { read: 4, sent: 0, unchanged: 4, filtered: 0, rejected: 0 },
  parts: 0,
  bytes: { json: 0, gzip: 0 },
  requests: 0,
});

describe("the report of a run", () => {
  it("says of a pull that it paid for nothing anew", () => {
    const pull = { written: 4, unchanged: 0, missing: 0, pages: 1, calls: 0 };
    const rest = { possibly_paid_twice: 0, repeated: 0, continued: true, finished: true };
    const textOf = (calls: number): string =>
      reportText({ ...report, kind: "pull", pull: { ...pull, ...rest, calls } });
    expect(textOf(0)).toContain(
      "  paid        0 new calls; 1 page from an earlier run, already paid\n",
    );
    expect(textOf(1)).toContain("  paid        1 call for 1 page\n");
  });

  it("says what a run that stopped had read, and what of it was rejected", () => {
    const given_up = { read: 1_200, records: 700, unchanged: 100, filtered: 0, rejected: 400 };
    const counts = { read: 0, sent: 0, unchanged: 0, filtered: 0, rejected: 0 };
    const stopped: RunReport = { ...report, outcome: "failed", counts, given_up };
    expect(reportText(stopped)).toContain(
      "  given up    1,200 rows read, 400 of them rejected: the next run reads them again",
    );
    const interrupted = { ...stopped, given_up: { ...given_up, rejected: 0 } };
    expect(reportText(interrupted)).toContain("1,200 rows read: the next run reads them again");
    expect(reportText(report)).not.toContain("given up");
  });

  it("names the row and the field of the first reject where the store tells them", () => {
    const code = "not_domain";
    const refused = { code, reason: "a value is not a domain", count: 50, example: "reject 1.2" };
    const rejecting = { ...report, reject_reasons: [refused] };
    const firsts = new Map([[code, { place: "crm.companies:eu,3", field: "domain" }]]);
    const line = "  rejects     50 × a value is not a domain, first at ";
    expect(reportText(rejecting, { firsts })).toContain(`${line}crm.companies:eu,3 (domain)\n`);
    expect(reportText(rejecting)).toContain(`${line}reject 1.2\n`);
  });

  it("says why it was sent, the ten most frequent fields, and how to see the others", () => {
    const fields = Array.from({ length: 12 }, (_, index) => {
      return { field: `account_properties.f${index}`, records: 1_200 - index };
    });
    const changes = { new: 120, changed: 39_870, remapped: 39_000, unknown: 10, again: 3, fields };
    const lines = reportText({ ...report, changes }).split("\n");
    expect(lines).toContain(
      "  why         new 120, changed 39,870 (39,000 because the mapping changed), unknown 10, sent again 3",
    );
    const [named = ""] = lines.filter((line) => line.includes("changed in "));
    expect(named).toMatch(/changed in account_properties\.f0 1,200, /);
    expect(named).toMatch(/account_properties\.f9 1,191, 2 more with --json$/);
  });

  it("says what a run is held for, and what to do", () => {
    const hold = {
      number: 1,
      digest: "0123",
      since: "2026-01-01T01:30:11.000Z",
      broken: [{ guardrail: "rejected_above", figure: 30, of: 1_000, bound: { share: 0.02 } }],
      approved_at: null,
    };
    const held = reportText({ ...report, outcome: "held", ended_at: null, hold });
    expect(held).toContain("accounts: held");
    expect(held).toContain("  held        rejected_above 2%: 30 of 1,000 rows rejected (3%)\n");
    expect(held).toContain("`sluice approve run-1` sends it, `sluice discard run-1` ends it");
    const sent = reportText({
      ...report,
      hold: { ...hold, approved_at: "2026-01-01T08:00:00.000Z" },
    });
    expect(sent).toContain("  approved    2026-01-01T08:00:00.000Z\n");
    expect(sent).not.toContain("sluice approve");
  });

  it("leaves out what did not happen", () => {
    expect(reportText(report).split("\n").slice(2)).toEqual([
      "  rows        read 4 = sent 0 + unchanged 4 + filtered 0 + rejected 0",
      "  sent        nothing: all 4 rows are as the service has them",
      "  checkpoint  version 0 → 1",
    ]);
    const sent: RunReport = {
      ...report,
      mode_reason: "it was asked for",
      counts: { ...report.counts, sent: 4, unchanged: 0 },
      parts: 1,
      bytes: { json: 400, gzip: 0 },
      requests: 3,
      retries: 1,
      waited_ms: 1_500,
      possibly_repeated: 4,
    };
    expect(
      reportText(sent, { position: { line: 5 } })
        .split("\n")
        .slice(2),
    ).toEqual([
      "  mode        lightweight: it was asked for",
      "  rows        read 4 = sent 4 + unchanged 0 + filtered 0 + rejected 0",
      "  sent as     1 chunk, 1 part, 400 B of JSON",
      "  requests    3, 1 tried again, waited 1.5 s for rate limits",
      "  repeated    possibly 4 records",
      '  checkpoint  version 0 → 1: {"line":5}',
    ]);
  });

  it("names one record as one", () => {
    const text = reportText({ ...report, possibly_repeated: 1 });
    expect(text).toContain("  repeated    possibly 1 record\n");
  });

  it("counts, while the run continues, what is read and not committed yet", () => {
    const under_way = { read: 1_000, records: 10, unchanged: 985, filtered: 2, rejected: 3 };
    const text = reportText({ ...report, outcome: "running", ended_at: null, under_way });
    expect(text).toContain("accounts: running for 1.0 s");
    expect(text).toContain(
      "read 1,004 so far = sent 0 + unchanged 989 + filtered 2 + rejected 3 + on the way 10",
    );
    expect(text).not.toContain("nothing");
  });
});

describe("the line of a run that continues", () => {
  const progress: Progress = {
    run_id: "run-1",
    sync: "accounts",
    mode: null,
    mode_reason: null,
    counts: { ...noCounts, read: 412_000, unchanged: 412_000 },
    waiting: null,
    report: null,
  };

  it("tells rows, rate and time left of a run in which nothing has changed", () => {
    const text = progressText(progress, 0.412, { read: 12_000, share: 0.012, elapsedMs: 40_000 });
    expect(text).toContain(
      "41 %  412,000 of ~1,000,000 rows read, 10,000/s, all unchanged so far, 59 s left",
    );
  });

  it("tells what was sent, and no time where nobody knows how much there is", () => {
    const counts = { ...noCounts, read: 10, unchanged: 4, sent: 6, gzip_bytes: 500 };
    const since = { read: 0, share: 0, elapsedMs: 1_000 };
    const text = progressText({ ...progress, counts, waiting: "closed" }, undefined, since);
    expect(text).toBe("10 rows read, 10/s, 6 sent (500 B)  closed");
  });
});
