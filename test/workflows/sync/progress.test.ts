import { describe, expect, it } from "vitest";

import type { StageResult } from "../../../activities/inputs.ts";
import { reportReasonsMax } from "../../../src/limits.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { detailsErrorCharsMax } from "../../../workflows/limits.ts";
import {
  noCounts,
  progressDetails,
  reportDetails,
  withCommitted,
  withoutStaged,
  withStaged,
  type Progress,
} from "../../../workflows/sync/progress.ts";
import { numbers } from "../../support/sequences.ts";

const staged: StageResult = {
  stage: 1,
  records: 7,
  parts: 1,
  jsonBytes: 700,
  gzipBytes: 70,
  done: false,
  counts: { read: 12, unchanged: 2, filtered: 1, rejected: 2 },
};

const progress: Progress = {
  run_id: "accounts-1",
  sync: "accounts",
  mode: null,
  mode_reason: null,
  counts: noCounts,
  waiting: null,
  report: null,
};

const report: RunReport = {
  run_id: "accounts-1",
  workflow_id: "wf",
  kind: "sync",
  sync: "accounts",
  outcome: "done",
  mode: "heavyweight",
  mode_reason: "it was asked for",
  counts: { read: 12, sent: 7, unchanged: 2, filtered: 1, rejected: 2 },
  balanced: true,
  chunks: 1,
  parts: 1,
  bytes: { json: 700, gzip: 70 },
  requests: 3,
  retries: 1,
  possibly_repeated: 5,
  waited_ms: 0,
  stamped_in_future: 0,
  checkpoint: { before: 4, after: 5 },
  warnings: [],
  reject_reasons: [],
  config_hash: "c",
  started_at: "2026-01-01T00:00:00.000Z",
  ended_at: "2026-01-01T00:00:01.000Z",
  duration_ms: 1_000,
};

describe("counts", () => {
  it("grow with a staged chunk, and with its commit", () => {
    const once = withStaged(noCounts, staged);
    expect(once).toEqual({
      ...noCounts,
      read: 12,
      unchanged: 2,
      filtered: 1,
      rejected: 2,
      staged_chunks: 1,
    });
    expect(withCommitted(once, staged)).toEqual({
      ...once,
      sent: 7,
      committed_chunks: 1,
      gzip_bytes: 70,
    });
  });

  it("are as before when a staged chunk is taken back", () => {
    const once = withCommitted(withStaged(noCounts, staged), staged);
    expect(withoutStaged(withStaged(once, staged), staged)).toEqual(once);
  });
});

describe("progressDetails", () => {
  it("says what was done so far", () => {
    const counts = withStaged(withCommitted(withStaged(noCounts, staged), staged), staged);
    const text = progressDetails({ ...progress, counts });
    expect(text).toContain("### accounts: run `accounts-1`");
    expect(text).toContain("| rows read | 24 |");
    expect(text).toContain("| chunks committed | 1 of 2 staged |");
  });

  it("says the mode and why, and what it waits for", () => {
    const mode = { mode: "lightweight", mode_reason: "10 records need 1 body" };
    const text = progressDetails({ ...progress, ...mode, waiting: "rate limited until noon" });
    expect(text).toContain("lightweight: 10 records need 1 body");
    expect(text).toContain("```\nrate limited until noon\n```");
  });
});

const pull = { read: 30, written: 20, unchanged: 6, missing: 3, rejected: 1, pages: 2, calls: 4 };

describe("progressDetails of a pull", () => {
  it("says what came, what became of it and what it cost", () => {
    const text = progressDetails({ ...progress, pull });
    expect(text).toContain("| results read | 30 |");
    expect(text).toContain("| without a row | 3 |");
    expect(text).toContain("| pages (calls) | 2 (4) |");
    expect(text).not.toContain("chunks");
    expect(text).not.toContain("domains");
  });

  it("says how far it is with its domains", () => {
    const domains = { listed: 9, done: 4, refused: 1 };
    const text = progressDetails({ ...progress, pull: { ...pull, domains } });
    expect(text).toContain("| domains done / refused | 4 / 1 of 9 |");
  });
});

describe("reportDetails", () => {
  it("says of a pull whether everything came", () => {
    const facts = { possibly_paid_twice: 1, repeated: 5, continued: false };
    const ended = {
      ...report,
      kind: "pull",
      pull: { ...pull, ...facts, finished: false },
    } as const;
    const text = reportDetails(ended);
    expect(text).toContain("| written | 20 |");
    expect(text).toContain("| possibly paid twice | 1 |");
    expect(text).toContain("| came twice | 5 |");
    expect(text).toContain("| finished | no: the next run continues |");
    expect(text).not.toContain("checkpoint");
  });

  it("says how the run ended and where to look next", () => {
    const text = reportDetails(report);
    expect(text).toContain("### accounts: done");
    const rejecting = reportDetails({ ...report, outcome: "done_with_rejects" });
    expect(rejecting).toContain("### accounts: done with rejects");
    expect(text).toContain("| sent | 7 |");
    expect(text).toContain("| balanced | yes |");
    expect(text).toContain("| requests (retries) | 3 (1) |");
    expect(text).toContain("| checkpoint | 4 → 5 |");
    expect(text).toContain("`sluice rejects list --run accounts-1`");
    expect(text).not.toContain("Rejects:");
  });

  it("says loudly what does not balance", () => {
    const text = reportDetails({ ...report, balanced: false });
    expect(text).toContain("| balanced | NO |");
  });

  it("keeps foreign text inside a fence that it cannot close (T18)", () => {
    const message = "the service said ````\n# a heading\n<img src=x>";
    const error = { code: "ContractBroken", message, hint: "look there" };
    const text = reportDetails({ ...report, outcome: "failed", error });
    expect(text).toContain(`\`\`\`\`\`\n${message}\nlook there\n\`\`\`\`\``);
  });

  it("stays below what Temporal takes, whatever went wrong", () => {
    const reasons = numbers(reportReasonsMax).map((n) => ({
      code: "c",
      reason: "r".repeat(100),
      count: n,
      example: `${"f".repeat(500)}.csv:${n}`,
    }));
    const error = { code: "Unexpected", message: "€".repeat(50_000), hint: "h".repeat(50_000) };
    const text = reportDetails({ ...report, error, reject_reasons: reasons });
    expect(text).toContain("€".repeat(detailsErrorCharsMax));
    expect(text).not.toContain("€".repeat(detailsErrorCharsMax + 1));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
  });
});
