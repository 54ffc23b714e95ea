import { describe, expect, it } from "vitest";

import { transferCells } from "../../../../src/cli/status/text.ts";
import { statusOf, type Seen, type TransferState } from "../../../../src/cli/status/transfer.ts";
import { doubtWarnings } from "../../../../src/report/doubt-warnings.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { missedAfterMs } from "../../../../src/schedules/limits.ts";
import { reportWith } from "../../../support/project/report.ts";

const at = "2026-01-01T01:30:10.000Z";
const accounts: TransferState = { name: "accounts", kind: "sync", schedule: undefined };
const nightly: TransferState = {
  ...accounts,
  schedule: { cron: "30 2 * * *", timeZone: "Europe/Paris" },
};

/** The report of a run that began just after its scheduled time. */
function report(changes: Partial<RunReport> = {}): RunReport {
  return reportWith({ started_at: at, ended_at: at, duration_ms: 0, ...changes });
}

/** The problem as it is reported, three nights after the run. */
function textOf(last: RunReport, seen: Partial<Seen> = {}): string | undefined {
  const now = new Date("2026-01-04T12:00:00Z");
  return statusOf(nightly, { last, open: undefined, ...seen }, now).problem?.text;
}

/** The problem of what never ran here, on 4 January, where Temporal has the schedule since a time. */
function textOfNever(since: string | undefined, ranAt?: string): string | undefined {
  const known = since === undefined ? {} : { since: new Date(since) };
  const scheduled = { kind: "on", note: "", ...known } as const;
  const now = new Date("2026-01-04T12:00:00Z");
  const ranElsewhere = ranAt === undefined ? undefined : { startedAt: ranAt, nominalAt: null };
  const seen = { last: undefined, open: undefined, scheduled, ranElsewhere };
  return statusOf(nightly, seen, now).problem?.text;
}

describe("statusOf", () => {
  const soon = new Date(at);

  it("finds nothing wrong with what never ran, and says when it will", () => {
    const status = statusOf(nightly, { last: undefined, open: undefined }, soon);
    expect(status.problem).toBeUndefined();
    expect(status.next?.toISOString()).toBe("2026-01-02T01:30:00.000Z");
    expect(statusOf(accounts, { last: report(), open: undefined }, soon)).toMatchObject({
      next: undefined,
      problem: undefined,
    });
  });

  it("has said what a run waits for, also where its schedule is off, and what one is held for once", () => {
    const open = { isWorkflowOpen: true, waiting: "somebody paused a step" };
    const scheduled = { kind: "paused", note: undefined } as const;
    const told = (seen: Partial<Seen>): string | undefined =>
      transferCells(statusOf(nightly, { last: undefined, open, ...seen }, soon)).at(-1);
    const running = report({ outcome: "running" });
    expect(told({ last: running })).toBe("somebody paused a step");
    expect(told({ last: running, scheduled })).toBe(
      "somebody paused a step; its schedule is paused → `sluice schedule resume accounts`",
    );
    expect(told({ last: report({ outcome: "held" }) })).not.toContain("somebody");
  });

  it("says how many rejects are open, whichever run holds them, and nothing of those that were replayed", () => {
    const counts = { read: 3, sent: 1, unchanged: 0, filtered: 0, rejected: 2 };
    const last = report({ outcome: "done_with_rejects", counts });
    const problemOf = (openRejects: number, of: RunReport = last): unknown =>
      statusOf(accounts, { last: of, open: undefined, openRejects }, soon).problem;
    const open = { text: "5 rejects open", hint: "`sluice rejects list --open --sync accounts`" };
    expect(problemOf(5)).toEqual(open);
    expect(problemOf(5, report({ kind: "inbox" }))).toEqual(open);
    expect(problemOf(0)).toBeUndefined();
    const failed = report({ outcome: "failed", error: { code: "x", message: "no", hint: "do" } });
    expect(problemOf(5, failed)).toEqual({ text: "no", hint: "do" });
  });

  it.each<[string, Partial<RunReport>, unknown]>([
    [
      "what failed and what to do",
      {
        outcome: "failed",
        error: { code: "x", message: "the key is refused", hint: "set another" },
      },
      { text: "the key is refused", hint: "set another" },
    ],
    [
      "how many rows a pull rejected",
      {
        kind: "pull",
        outcome: "done_with_rejects",
        counts: { read: 3, sent: 1, unchanged: 0, filtered: 0, rejected: 2 },
      },
      { text: "2 rows rejected", hint: "`sluice rejects list run-1`" },
    ],
    [
      "a warning",
      { warnings: ["the file is empty", "another"] },
      { text: "the file is empty", hint: "`sluice runs show run-1`" },
    ],
  ])("says %s", (_, changes, problem) => {
    const status = statusOf(accounts, { last: report(changes), open: undefined }, soon);
    expect(status.problem).toEqual(problem);
  });

  it("leaves out what was in doubt when the run ended: how that stands now is told on lines of its own", () => {
    const facts = { inDoubt: 3, due: 0, waitMs: 90_000, lost: 2, stray: 1 };
    const pending = { pending: 4, pendingMs: 90_000 };
    const warnings = doubtWarnings({ ...facts, ...pending }, { isDone: false });
    expect(warnings).toHaveLength(4);
    const problemOf = (...more: string[]): unknown => {
      const last = report({ warnings: [...warnings, ...more] });
      return statusOf(accounts, { last, open: undefined }, soon).problem;
    };
    expect(problemOf()).toBeUndefined();
    expect(problemOf("the file is empty")).toMatchObject({ text: "the file is empty" });
  });

  it("says why what the file schedules does not begin by itself", () => {
    const since = new Date(at);
    const paused = { kind: "paused", note: "since 2026-01-01T00:00Z: holiday", since } as const;
    const seen = { last: report(), open: undefined, scheduled: paused };
    expect(statusOf(nightly, seen, soon)).toMatchObject({
      next: undefined,
      problem: {
        text: "its schedule is paused: since 2026-01-01T00:00Z: holiday",
        hint: "`sluice schedule resume accounts`",
      },
    });
    const none = { last: undefined, open: undefined, scheduled: { kind: "none" } } as const;
    expect(statusOf(nightly, none, soon)).toMatchObject({
      next: undefined,
      problem: { text: "Temporal has no schedule for it", hint: "`sluice schedule apply`" },
    });
    expect(statusOf(accounts, none, soon).problem).toBeUndefined();
    for (const scheduled of [{ kind: "on", note: "", since }, { kind: "unknown" }] as const) {
      const status = statusOf(nightly, { ...seen, scheduled }, soon);
      expect([status.next?.toISOString(), status.problem]).toEqual([
        "2026-01-02T01:30:00.000Z",
        undefined,
      ]);
    }
  });

  it("promises no next run where Temporal does not say that the schedule is on", () => {
    const silent = { text: "no Temporal runs here", hint: "start one" };
    const seen = { last: undefined, open: undefined, silent };
    expect(statusOf(nightly, seen, soon)).toMatchObject({
      next: undefined,
      problem: {
        text: "nothing says that its schedule is on: no Temporal runs here",
        hint: "start one",
      },
    });
    expect(statusOf(accounts, seen, soon).problem).toBeUndefined();
  });

  it("names what went wrong last before a pause", () => {
    const since = new Date(at);
    const scheduled = { kind: "paused", note: "", since } as const;
    const error = { code: "AuthFailed", message: "401", hint: "check the key" };
    const last = report({ outcome: "failed", error });
    const { problem, next } = statusOf(nightly, { last, open: undefined, scheduled }, soon);
    expect([problem, next]).toEqual([
      { text: "401; its schedule is paused", hint: "check the key" },
      undefined,
    ]);
  });

  it("does not let an open reject, a warning or a failure hide that no run begins", () => {
    const missed = "3 scheduled runs did not happen since";
    const rejected = report({ outcome: "done_with_rejects" });
    expect(textOf(rejected, { openRejects: 1 })).toBe(`${missed}; 1 reject open`);
    expect(textOf(rejected, { openRejects: 1, scheduled: { kind: "none" } })).toBe(
      "Temporal has no schedule for it; 1 reject open",
    );
    expect(textOf(report({ warnings: ["no rows"] }))).toBe(`${missed}; no rows`);
    const failed = report({ outcome: "failed", error: { code: "x", message: "401" } });
    expect(textOf(failed, { openRejects: 1 })).toBe(`401; ${missed}`);
  });

  it("says of a run that continues what it waits for", () => {
    const open = { isWorkflowOpen: true, waiting: "rate limited" };
    const status = statusOf(nightly, { last: report({ outcome: "running" }), open }, soon);
    expect([status.waiting, status.problem]).toEqual(["rate limited", undefined]);
  });

  it("says of a run whose workflow is gone how to start another", () => {
    const last = report({ outcome: "running" });
    const open = { isWorkflowOpen: false, waiting: undefined };
    const hintOf = (transfer: TransferState): string | undefined =>
      statusOf(transfer, { last, open }, soon).problem?.hint;
    expect(hintOf(accounts)).toBe("`sluice run accounts`");
    expect(hintOf({ ...accounts, kind: "pull" })).toBe("`sluice pull accounts`");
  });

  it("tells nobody to approve a run that is held at another Temporal than is used here", () => {
    const last = report({ outcome: "held" });
    const { problem } = statusOf(accounts, { last, open: undefined, isElsewhere: true }, soon);
    expect(problem?.text).toContain("it waits at another Temporal than the one that is used here");
    expect(problem?.hint).toMatch(/^set TEMPORAL_ADDRESS .* `sluice run accounts` notes/);
  });

  it("asks nobody to answer a run that was held and whose workflow is gone", () => {
    const last = report({ outcome: "held" });
    const problemOf = (isWorkflowOpen: boolean): unknown => {
      const open = { isWorkflowOpen, waiting: undefined };
      return statusOf(accounts, { last, open }, soon).problem;
    };
    expect(problemOf(false)).toEqual({
      text: "it was held, and its workflow was ended from outside: nothing of it is sent",
      hint: "`sluice run accounts`",
    });
    expect(problemOf(true)).toMatchObject({
      hint: "`sluice runs show run-1`, then `sluice approve run-1` or `sluice discard run-1`",
    });
  });

  it("says that Temporal does not tell of a run that should continue", () => {
    const status = statusOf(
      accounts,
      { last: report({ outcome: "running" }), open: undefined },
      soon,
    );
    expect(status.problem?.text).toBe("Temporal does not say how far it is");
  });

  it("counts no run as missed that began before its time, by a store whose clock is behind Temporal's", () => {
    const last = report({ started_at: "2026-01-01T01:28:00.000Z" });
    const now = new Date("2026-01-01T12:00:00.000Z");
    const problemOf = (nominalAt: string | undefined): unknown =>
      statusOf(nightly, { last, open: undefined, nominalAt }, now).problem?.text;
    expect(problemOf("2026-01-01T01:30:00.000Z")).toBeUndefined();
    expect(problemOf("2025-12-31T01:30:00.000Z")).toBe("1 scheduled run did not happen since");
    expect(problemOf(undefined)).toBe("1 scheduled run did not happen since");
  });

  it("counts nights as missed although a run was begun for one that is to come", () => {
    const last = report({ started_at: "2026-01-01T12:00:00.000Z" });
    const problemAt = (now: string, nominalAt: string): unknown =>
      statusOf(nightly, { last, open: undefined, nominalAt }, new Date(now)).problem?.text;
    const [tomorrow, later] = ["2026-01-02T01:30:00.000Z", "2026-01-04T01:30:00.000Z"];
    const missed = "2 scheduled runs did not happen since";
    expect(problemAt("2026-01-03T12:00:00.000Z", later)).toBe(missed);
    expect(problemAt("2026-01-04T01:31:00.000Z", later)).toBe(missed);
    expect(problemAt("2026-01-01T23:00:00.000Z", tomorrow)).toBeUndefined();
  });

  it("counts no run as missed from before Temporal had the schedule, unless the last run shows that it had", () => {
    const last = report({ started_at: "2025-12-01T12:00:00.000Z" });
    const textSince = (since: string | undefined, nominalAt?: string): string | undefined => {
      const known = since === undefined ? {} : { since: new Date(since) };
      return textOf(last, { nominalAt, scheduled: { kind: "on", note: "", ...known } });
    };
    expect(textSince("2026-01-04T10:00:00.000Z")).toBeUndefined();
    const other = "2025-12-01T11:00:00.000Z";
    expect(textSince("2026-01-04T10:00:00.000Z", other)).toBeUndefined();
    expect(textSince("2026-01-03T10:00:00.000Z")).toBe("1 scheduled run did not happen since");
    const all = "34 scheduled runs did not happen since";
    expect(textSince("2026-01-04T10:00:00.000Z", "2025-12-01T01:30:00.000Z")).toBe(all);
    expect(textSince("2025-11-01T10:00:00.000Z")).toBe(all);
    expect(textSince(undefined)).toBe(all);
  });

  it("counts the nights since Temporal has the schedule, or since a run at another service, of what never ran", () => {
    expect(textOfNever("2026-01-01T10:00:00.000Z")).toBe("3 scheduled runs did not happen");
    expect(textOfNever("2026-01-04T10:00:00.000Z")).toBeUndefined();
    expect(textOfNever(undefined)).toBeUndefined();
    const [older, newer] = ["2025-12-01T01:30:05.000Z", "2026-01-04T01:30:05.000Z"];
    expect(textOfNever("2026-01-01T10:00:00.000Z", newer)).toBeUndefined();
    expect(textOfNever("2026-01-01T10:00:00.000Z", older)).toBe("3 scheduled runs did not happen");
  });

  it.each([
    [-1, undefined],
    [0, "1 scheduled run did not happen since"],
    [86_400_000, "2 scheduled runs did not happen since"],
  ])(
    "counts the scheduled runs that did not happen, %i ms after the first is missed",
    (ms, text) => {
      const now = new Date(Date.parse("2026-01-02T01:30:00.000Z") + missedAfterMs + ms);
      expect(statusOf(nightly, { last: report(), open: undefined }, now).problem?.text).toBe(text);
    },
  );
});
