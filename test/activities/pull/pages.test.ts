import { describe, expect, it } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import type { Source } from "../../../connectors/contract/connector.ts";
import { RetryLater } from "../../../src/errors.ts";
import { dyingAt, failureOf, type Harness } from "../../support/project/harness.ts";
import {
  accountsFound,
  md5Of,
  openPullHarness,
  rowsOf,
} from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

/** Dependencies whose CSV connector temporarily refuses to write. */
function withoutWriteBack({ deps }: Harness): Pick<Dependencies, "sources"> {
  const csv = deps.sources.get("csv");
  if (csv === undefined) throw new Error("there is no CSV connector");
  const down: Source = {
    ...csv,
    write: async () => await Promise.reject(new RetryLater("the disk is away")),
  };
  return { sources: new Map([["csv", down]]) };
}

describe("pullPages", () => {
  it("writes every result once, page after page", async () => {
    const harness = await openPullHarness();
    const report = await (await PullRun.open(harness)).finish();
    expect(report).toMatchObject({
      kind: "pull",
      sync: "scores",
      outcome: "done",
      balanced: true,
      counts: { read: accountsFound, unchanged: 0, rejected: 0 },
      requests: 4,
      pull: { written: accountsFound, pages: 4, calls: 4, continued: false, finished: true },
    });
    expect(report.pull).toMatchObject({ possibly_paid_twice: 0, repeated: 0, missing: 0 });
    const [heading, ...rows] = await rowsOf(harness, "scores.csv");
    expect(heading).toBe("mk_id,name,fit");
    expect(new Set(rows.map((row) => row.split(",")[0])).size).toBe(accountsFound);
    expect(await harness.sandbox.ledger("search")).toHaveLength(4);
  });

  it("changes nothing when everything is pulled again", async () => {
    const harness = await openPullHarness();
    await (await PullRun.open(harness)).finish();
    const before = await md5Of(harness, "scores.csv");
    const report = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(report.counts).toMatchObject({ read: accountsFound, unchanged: accountsFound });
    expect(report.pull).toMatchObject({ written: 0, continued: false });
    expect(await md5Of(harness, "scores.csv")).toBe(before);
  });

  it("does not pay again for a page whose write-back failed", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    const broken = harness.activitiesWith(withoutWriteBack(harness));
    for (const _ of [1, 2]) {
      expect((await failureOf(run.pull(1, broken))).type).toBe("Unavailable");
    }
    expect(await harness.sandbox.ledger("search")).toHaveLength(1);
    const report = await run.finish();
    expect(report.pull).toMatchObject({ written: accountsFound, calls: 4, possibly_paid_twice: 0 });
    expect(await harness.sandbox.ledger("search")).toHaveLength(4);
  });

  it("lets the next run write a page that the last one paid for", async () => {
    const harness = await openPullHarness();
    const first = await PullRun.open(harness);
    await failureOf(first.pull(1, harness.activitiesWith(withoutWriteBack(harness))));
    await first.close({ outcome: "cancelled" });
    const report = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(report.pull).toMatchObject({ written: accountsFound, calls: 3, continued: true });
    expect(await harness.sandbox.ledger("search")).toHaveLength(4);
  });

  it("keeps a page under the name by which another version reads how far its pass is", async () => {
    const harness = await openPullHarness();
    const { target } = harness.deps;
    const run = await PullRun.open(harness);
    await failureOf(run.pull(1, harness.activitiesWith(withoutWriteBack(harness))));
    const place = await harness.state.pullPlace({ target, pull: "scores" });
    expect(place?.page).toMatchObject({ walk: { seen: 10 } });
  });

  it("keeps the cursor only once its page is written", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    const { target } = harness.deps;
    await failureOf(run.pull(1, harness.activitiesWith(dyingAt(harness, "commitPage"))));
    expect(await harness.state.pullPlace({ target, pull: "scores" })).toMatchObject({ pass: null });
    expect(await rowsOf(harness, "scores.csv")).toHaveLength(11);
    const report = await run.finish();
    expect(report.pull).toMatchObject({ written: accountsFound - 10, unchanged: 10, calls: 4 });
    expect(report.balanced).toBe(true);
  });

  it("counts a page that it asks for again after a crash as possibly paid twice", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    await failureOf(run.pull(1, harness.activitiesWith(dyingAt(harness, "keepPage"))));
    const report = await run.finish();
    expect(report.pull).toMatchObject({ calls: 5, possibly_paid_twice: 1, repeated: 0 });
    expect(await harness.sandbox.ledger("search")).toHaveLength(5);
  });

  it("counts a lost answer as possibly paid twice, and a refusal as nothing", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { dropReply: true });
    harness.sandbox.order("search", { status: 429, headers: { "retry-after": "1" } });
    const run = await PullRun.open(harness);
    expect((await failureOf(run.pull())).type).toBe("OutcomeUnknown");
    expect((await failureOf(run.pull())).type).toBe("RateLimited");
    harness.clock.nowMs += 2_000;
    const report = await run.finish();
    expect(report.pull).toMatchObject({ pages: 4, calls: 5, possibly_paid_twice: 1 });
  });

  it("stops at the ceiling of calls, and continues there the next time", async () => {
    const harness = await openPullHarness({ scores: ["calls_max: 3"] });
    const first = await (await PullRun.open(harness)).finish();
    expect(first).toMatchObject({
      outcome: "done",
      warnings: ["stopped after 3 calls (calls_max)"],
      counts: { read: 30 },
      pull: { calls: 3, finished: false },
    });
    const second = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(second.pull).toMatchObject({ calls: 1, written: 10, continued: true, finished: true });
    expect(await harness.sandbox.ledger("search")).toHaveLength(4);
  });

  it("reads no more than it is asked for, however often", async () => {
    const harness = await openPullHarness();
    for (const [index, limit] of [3, 4, 5, 6, 7].entries()) {
      const asked = { runId: `run-${index}`, request: { limit } };
      const report = await (await PullRun.open(harness, asked)).finish();
      expect(report.counts.read).toBe(limit);
    }
    const rest = await (await PullRun.open(harness, { runId: "rest" })).finish();
    expect(rest).toMatchObject({ counts: { read: 15 }, pull: { finished: true, repeated: 0 } });
    expect(await rowsOf(harness, "scores.csv")).toHaveLength(accountsFound + 1);
  });

  it("stops when the credits are used up, and continues there when there are some", async () => {
    const harness = await openPullHarness({ sandbox: { searchCreditCalls: 2 } });
    const run = await PullRun.open(harness);
    await run.pull(2);
    const failure = await failureOf(run.pull());
    expect(failure.type).toBe("CreditsExhausted");
    const report = await run.close({ outcome: "credits_exhausted" });
    expect(report).toMatchObject({ outcome: "credits_exhausted", pull: { calls: 2, written: 20 } });
    expect((await failureOf(PullRun.open(harness, { runId: "run-2" }))).type).toBe(
      "CreditsExhausted",
    );
  });

  it("stops at a looping cursor, keeps what came before it, and begins anew with the next run", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { badCursor: "loop" }, { after: 2 });
    const run = await PullRun.open(harness);
    await run.pull(2);
    const failure = await failureOf(run.pull());
    expect(failure).toMatchObject({ type: "ContractBroken", nonRetryable: true });
    expect(failure.message).toContain("cursor loop");
    await run.close({ outcome: "failed" });
    const report = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(report.counts).toMatchObject({ read: accountsFound, unchanged: 20 });
  });

  it("asks for half as many results when a page is too large", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { status: 413 }, { after: 1 });
    const report = await (await PullRun.open(harness)).finish();
    expect(report).toMatchObject({
      outcome: "done",
      counts: { read: accountsFound },
      pull: { pages: 7, calls: 7, possibly_paid_twice: 0 },
    });
  });

  it("rejects a poison item and continues", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { poisonItem: 2 }, { after: 1 });
    const run = await PullRun.open(harness);
    const report = await run.finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: accountsFound, rejected: 1 },
      pull: { written: accountsFound - 1 },
      reject_reasons: [{ code: "bad_result", count: 1, example: "reject 2.1" }],
    });
    expect(await run.rejects()).toMatchObject([{ place: "result 3 of its page", step: "pull" }]);
  });

  it("says of results that changed places that they came twice, and of a total that it is not so", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { shiftPage: "repeated" }, { after: 1 });
    harness.sandbox.order("search", { falseTotal: 3 }, { after: 3 });
    const report = await (await PullRun.open(harness)).finish();
    expect(report.pull).toMatchObject({ repeated: 1 });
    expect(report.warnings).toEqual([
      "total changed from 43 to 40",
      "41 results came, the total says 40",
    ]);
  });

  it.each([
    { does: "makes no second pass unless it is told to", passesMax: 1, calls: 4, missing: 1 },
    {
      does: "makes another pass for a result that was skipped",
      passesMax: 3,
      calls: 8,
      missing: 0,
    },
  ])("$does", async ({ passesMax, calls, missing }) => {
    const harness = await openPullHarness({ scores: [`passes_max: ${passesMax}`] });
    harness.sandbox.order("search", { shiftPage: "skipped" }, { after: 1 });
    const report = await (await PullRun.open(harness)).finish();
    const written = accountsFound - missing;
    expect(report).toMatchObject({ outcome: "done", balanced: true });
    expect(report.pull).toMatchObject({ calls, written, repeated: 0, finished: true });
    expect(report.warnings).toContain("39 results came, the total says 40");
    const warning = "results changed places: the search took 2 passes";
    expect(report.warnings.includes(warning)).toBe(calls === 8);
    expect(await rowsOf(harness, "scores.csv")).toHaveLength(written + 1);
  });

  it("makes three passes at most, and says what never came", async () => {
    const harness = await openPullHarness({ scores: ["passes_max: 3"] });
    harness.sandbox.order("search", { falseTotal: 1 }, { times: 100 });
    const report = await (await PullRun.open(harness)).finish();
    expect(report.pull).toMatchObject({ calls: 12, written: accountsFound, finished: true });
    expect(report.warnings).toEqual([
      "40 results came, the total says 41",
      "results changed places: the search took 2 passes",
      "results changed places: the search took 3 passes",
    ]);
  });

  it("takes a poison item for one that came", async () => {
    const harness = await openPullHarness({ scores: ["passes_max: 3"] });
    harness.sandbox.order("search", { poisonItem: 2 }, { after: 1 });
    const report = await (await PullRun.open(harness)).finish();
    expect(report.pull).toMatchObject({ calls: 4, finished: true });
  });

  it("stops when more is refused than the limit allows", async () => {
    const harness = await openPullHarness({ scores: ["reject_limit: { rate: 5%, rows: 0 }"] });
    harness.sandbox.order("search", { poisonItem: 0 });
    const run = await PullRun.open(harness);
    await run.pull();
    expect(await failureOf(run.pull())).toMatchObject({ type: "TooManyRejects" });
    expect(await harness.sandbox.ledger("search")).toHaveLength(1);
  });

  it("fails also when the last page brings more than the limit allows, however often it looks", async () => {
    const harness = await openPullHarness({ scores: ["reject_limit: { rate: 2%, rows: 0 }"] });
    harness.sandbox.order("search", { poisonItem: 0 }, { after: 3 });
    const run = await PullRun.open(harness);
    await run.pull(3);
    for (const _ of [1, 2]) {
      const failure = await failureOf(run.pull());
      expect(failure).toMatchObject({ type: "TooManyRejects" });
      expect(failure.message).toContain("1 of 40 results were refused");
    }
    const report = await run.close({ outcome: "failed" });
    expect(report).toMatchObject({ balanced: true, pull: { written: 39, finished: true } });
  });

  it("stops when the configuration changed since the run began", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    const { configHash: _, ...ref } = run.opened;
    const other = { ...ref, configHash: "another", pagesMax: 1 };
    const failure = await failureOf(harness.perform(harness.activities.pullPages, other));
    expect(failure.type).toBe("ConfigChanged");
    expect(failure.message).toContain("pull scores");
  });

  it("writes no page that came so late that another attempt has continued after it", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    const { api } = harness.deps;
    const late: Dependencies["api"] = {
      ...api,
      search: async (input) => {
        const page = await api.search(input);
        await run.pull(4);
        await harness.write("scores.csv", "mk_id,name,fit\n");
        return page;
      },
    };
    await run.pull(1, harness.activitiesWith({ api: late }));
    expect(await rowsOf(harness, "scores.csv")).toEqual(["mk_id,name,fit"]);
    const report = await run.close();
    expect(report).toMatchObject({
      balanced: true,
      counts: { read: accountsFound },
      pull: { calls: 5, possibly_paid_twice: 1, repeated: 0 },
    });
  });

  it("writes nothing for a run that lost its lock", async () => {
    const harness = await openPullHarness();
    const run = await PullRun.open(harness);
    harness.terminated.add("first-run-1");
    await PullRun.open(harness, { runId: "run-2" });
    expect((await failureOf(run.pull())).type).toBe("Superseded");
    expect(await harness.sandbox.ledger("search")).toEqual([]);
  });
});
