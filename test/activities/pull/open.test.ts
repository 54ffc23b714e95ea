import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { pullLock } from "../../../src/state/contract/pull/pulls.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { failureOf, type Harness, losingAnswerOf } from "../../support/project/harness.ts";
import { openPullHarness, pullYaml } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

const hirings = { pull: "hirings", reads: "domains" } as const;

function intoScores(set: string): string {
  return `
    accounts: {}
    page_size: 10
    write_back: { connection: crm, table: scores, key: { mk_id: mk_id }, set: { ${set} } }`;
}

/** Two searches that write into one table, the first one the column `name`. */
function twoIntoOneTable(url: string, others: string): string {
  return `${pullYaml().split("connections:")[0]}connections:
  crm: { connector: postgres, url: "${url}" }
syncs: {}
pulls:
  scores:${intoScores("name: name")}
  ratings:${intoScores(others)}
`;
}

/** Makes a run end whose page was paid for and could not be written: the page waits for the next run. */
async function leavePageWaiting(
  harness: Harness,
  [hide, show]: readonly [hide: () => Promise<unknown>, show: () => Promise<unknown>] = [
    async () => await mkdir(join(harness.folder, "scores.csv")),
    async () => await rmdir(join(harness.folder, "scores.csv")),
  ],
): Promise<void> {
  const run = await PullRun.open(harness);
  await hide();
  expect((await failureOf(run.pull())).type).toBe("ConfigError");
  await run.close({ outcome: "failed" });
  await show();
}

describe("openPull", () => {
  it("lets one run of a pull at a time begin, and names the one that continues", async () => {
    const harness = await openPullHarness();
    await PullRun.open(harness);
    const failure = await failureOf(PullRun.open(harness, { runId: "run-2" }));
    expect(failure).toMatchObject({ type: "Busy", nonRetryable: true });
    expect(failure.message).toBe("pull scores is being done by run run-1 (workflow wf-run-1)");
    // Another pull has a lock of its own.
    await PullRun.open(harness, { pull: "hiring", reads: "domains", runId: "run-3" });
  });

  it("gives the lock back when the run is closed", async () => {
    const harness = await openPullHarness();
    await (await PullRun.open(harness)).close({ outcome: "cancelled" });
    const lock = pullLock(harness.deps.target, "scores");
    expect(await harness.state.lockHolder(lock)).toBeUndefined();
  });

  it("takes over from a run whose workflow is gone, and abandons it", async () => {
    const harness = await openPullHarness();
    await (await PullRun.open(harness)).pull();
    harness.terminated.add("first-run-1");
    const report = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(report.pull).toMatchObject({ continued: true, written: 30 });
    expect(await harness.state.run("run-1")).toMatchObject({ outcome: "abandoned" });
  });

  it("opened twice is opened once", async () => {
    const harness = await openPullHarness();
    const request = { full: true };
    const run = await PullRun.open(harness, { request });
    await run.pull();
    expect((await PullRun.open(harness, { request })).opened).toEqual(run.opened);
    const report = await run.finish();
    expect(report.pull).toMatchObject({ calls: 4, written: 40, continued: false });
  });

  it("is of the configuration with which it is opened again, as long as it has made no call", async () => {
    const harness = await openPullHarness();
    const { openPull } = harness.activitiesWith(losingAnswerOf(harness, "beginPull"));
    const input = { pull: "scores", walks: "search", runId: "run-1", request: {} } as const;
    const workflow = { workflowId: "wf-run-1", firstRunId: "first-run-1" };
    const lost = await failureOf(harness.perform(openPull, { ...input, ...workflow }));
    expect(lost.message).toBe("the connection was lost here");
    const stored = async (): Promise<string | undefined> =>
      (await harness.state.run("run-1"))?.configHash;
    expect(await stored()).toBe(harness.deps.config.pulls.get("scores")?.configHash);
    const edited = await harness.withYaml(pullYaml().replace("page_size: 10", "page_size: 20"));
    const run = await PullRun.open(edited);
    expect(await stored()).toBe(run.opened.configHash);
    await run.pull();
    await PullRun.open(harness);
    expect(await stored()).toBe(run.opened.configHash);
  });

  it("refuses a pull that is not there, and one of the other workflow", async () => {
    const harness = await openPullHarness();
    const unknown = await failureOf(PullRun.open(harness, { pull: "other" }));
    expect(unknown).toMatchObject({ type: "ConfigError" });
    expect(unknown.details).toMatchObject([{ hint: "the pulls are: scores, hiring" }]);
    const wrong = await failureOf(PullRun.open(harness, { pull: "hiring" }));
    expect(wrong.message).toContain("pull hiring is of job postings");
    const hint = "start the workflow jobPostingsPull, or `sluice pull hiring`";
    expect(wrong.details).toMatchObject([{ hint }]);
  });

  it("begins anew when that is asked for, and when the query is another", async () => {
    const harness = await openPullHarness();
    const first = await PullRun.open(harness);
    await first.pull(2);
    await first.close({ outcome: "cancelled" });
    const second = await PullRun.open(harness, { runId: "run-2", request: { full: true } });
    await second.pull();
    expect((await second.close({ outcome: "cancelled" })).pull).toMatchObject({ continued: false });
    const filters = "{ filters: [{ property: name, operator: IS_NOT_NULL, value: true }] }";
    const other = await harness.withYaml(pullYaml({ accounts: filters }));
    const third = await (await PullRun.open(other, { runId: "run-3" })).finish();
    expect(third).toMatchObject({ counts: { read: 40 }, pull: { continued: false, calls: 4 } });
  });

  it("continues with no round of another key, and begins a new one", async () => {
    const harness = await openPullHarness();
    const first = await PullRun.open(harness);
    await first.pull();
    await first.close({ outcome: "cancelled" });
    const yaml = pullYaml().replace("${SLUICE_API_KEY}", "the-key-of-another-account");
    const other = await harness.withYaml(yaml);
    const failure = await failureOf(PullRun.open(other, { runId: "run-2" }));
    expect(failure.type).toBe("ConfigError");
    expect(failure.message).toContain("the API key is not the one that was sent with before");
    expect(JSON.stringify(failure.details)).toContain("`sluice pull scores --full` begins anew");
    await other.perform(other.activities.closeRun, { runId: "run-2", outcome: "failed" });
    const anew = await PullRun.open(other, { runId: "run-3", request: { full: true } });
    expect((await anew.finish()).pull).toMatchObject({ calls: 4, continued: false });
  });

  it("writes no page that another key paid for, even where it is the first of its round", async () => {
    const harness = await openPullHarness();
    await leavePageWaiting(harness);
    const yaml = pullYaml().replace("${SLUICE_API_KEY}", "the-key-of-another-account");
    const other = await harness.withYaml(yaml);
    const failure = await failureOf(PullRun.open(other, { runId: "run-2" }));
    expect(failure.message).toContain("the API key is not the one that was sent with before");
  });

  it("asks again for a page that waited while the pull had another name, which wrote newer values", async () => {
    const harness = await openPullHarness();
    await leavePageWaiting(harness);
    // Another configured pull also keeps its page.
    const both = pullYaml().replace("  hiring:", "  hirings:");
    await (
      await PullRun.open(await harness.withYaml(both), { ...hirings, runId: "run-2" })
    ).close();
    const name = { target: harness.deps.target, pull: "scores" };
    expect((await harness.state.pullPlace(name))?.page).not.toBeNull();
    const renamed = await harness.withYaml(pullYaml().replace("  scores:", "  ratings:"));
    await (await PullRun.open(renamed, { pull: "ratings", runId: "run-3" })).finish();
    const { pull } = await (await PullRun.open(harness, { runId: "run-4" })).finish();
    expect(pull).toMatchObject({ calls: 4, possibly_paid_twice: 1, unchanged: 40, written: 0 });
  });

  it.each([
    [
      "asks again for a page whose columns another pull of the file wrote meanwhile",
      {
        others: "name: name",
        found: { calls: 4, possibly_paid_twice: 1, unchanged: 40, written: 0 },
      },
    ],
    [
      "asks again for a page whose columns another pull wrote among others",
      {
        others: "name: name, industry: industry",
        found: { calls: 4, possibly_paid_twice: 1, unchanged: 40, written: 0 },
      },
    ],
    [
      "writes a page whose columns no other pull writes, whatever else one wrote there",
      {
        others: "industry: industry",
        found: { calls: 3, possibly_paid_twice: 0, unchanged: 0, written: 40 },
      },
    ],
  ] as const)("%s", async (_does, { others, found }) => {
    const database = await postgres();
    await database.query("create table scores (mk_id text primary key, name text, industry text)");
    const both = twoIntoOneTable(database.url, others);
    const harness = await (await openPullHarness()).withYaml(both);
    await leavePageWaiting(harness, [
      async () => await database.query("alter table scores rename to hidden"),
      async () => await database.query("alter table hidden rename to scores"),
    ]);
    await (await PullRun.open(harness, { pull: "ratings", runId: "run-2" })).finish();
    const { pull } = await (await PullRun.open(harness, { runId: "run-3" })).finish();
    expect(pull).toMatchObject(found);
  });

  it("keeps a page that was paid for while another pull of its columns only fails to open", async () => {
    const database = await postgres();
    await database.query("create table scores (mk_id text primary key, name text)");
    const both = twoIntoOneTable(database.url, "name: name");
    const harness = await (await openPullHarness()).withYaml(both);
    const other = async (): Promise<unknown> =>
      await PullRun.open(harness, { pull: "ratings", runId: "run-2" });
    await leavePageWaiting(harness, [
      async () => await database.query("alter table scores rename to hidden"),
      async () => {
        expect((await failureOf(other())).type).toBe("ConfigError");
        await database.query("alter table hidden rename to scores");
      },
    ]);
    const { pull } = await (await PullRun.open(harness, { runId: "run-3" })).finish();
    expect(pull).toMatchObject({ calls: 3, possibly_paid_twice: 0, written: 40 });
  });

  it("writes through a connection whose change column the table does not have", async () => {
    const database = await postgres();
    await database.query("create table scores (mk_id text primary key, name text)");
    const into = twoIntoOneTable(database.url, "name: name");
    const yaml = into.replace(
      /(crm: \{ connector: postgres), /,
      "$1, changed_by: { column: updated_at }, ",
    );
    const harness = await (await openPullHarness()).withYaml(yaml);
    const first = await PullRun.open(harness);
    await first.pull();
    await first.close({ outcome: "cancelled" });
    const { pull } = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(pull).toMatchObject({ continued: true, written: 30, finished: true });
  });

  it("sends nothing while there are no credits", async () => {
    const harness = await openPullHarness({ sandbox: { searchCreditCalls: 0 } });
    const run = await PullRun.open(harness);
    expect((await failureOf(run.pull())).type).toBe("CreditsExhausted");
    await run.close({ outcome: "credits_exhausted" });
    const failure = await failureOf(PullRun.open(harness, { runId: "run-2" }));
    expect(failure).toMatchObject({ type: "CreditsExhausted" });
    expect(failure.message).toContain("no credits until");
    expect(await harness.sandbox.ledger("search")).toHaveLength(1);
  });
});
