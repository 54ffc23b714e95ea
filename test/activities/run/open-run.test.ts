import { describe, expect, it } from "vitest";

import { sendLock } from "../../../src/state/contract/runs/locks.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import {
  accountsYaml,
  dyingAt,
  failureOf,
  Harness,
  harnessKey,
} from "../../support/project/harness.ts";
import { openedRun, rows, stagedRun } from "../../support/project/test-run.ts";

describe("openRun twice", () => {
  const input = { sync: "accounts", kind: "sync", workflowId: "wf", firstRunId: "first" } as const;
  const asked = { ...input, runId: "run-1", request: { limit: 3 } };

  it("opens one run, and gives it its own lock again", async () => {
    const run = await openedRun();
    const { harness } = run;
    const { activities, state } = harness;
    await run.close();
    const first = await harness.perform(activities.openRun, { ...asked, runId: "run-2" });
    const second = await harness.perform(activities.openRun, { ...asked, runId: "run-2" });
    expect(second).toEqual(first);
    expect(await state.runs({ limit: 10 })).toHaveLength(2);
  });

  it("continues where an attempt died before it had the lock", async () => {
    const { harness } = await openedRun();
    const dying = harness.activitiesWith(dyingAt(harness, "takeLock"));
    const own = { ...asked, firstRunId: "first-run-1" };
    expect(await failureOf(harness.perform(dying.openRun, own))).toMatchObject({
      type: "Unavailable",
      nonRetryable: false,
    });
    expect(await harness.perform(dying.openRun, own)).toMatchObject({ runId: "run-1", fence: 1 });
  });

  it("is of the configuration with which it succeeds", async () => {
    const { harness } = await openedRun();
    const own = { ...asked, runId: "run-2", firstRunId: "first-2" };
    await harness.perform(harness.activities.closeRun, { runId: "run-1", outcome: "done" });
    const dying = harness.activitiesWith(dyingAt(harness, "takeLock"));
    await failureOf(harness.perform(dying.openRun, own));
    const edited = await harness.withYaml(accountsYaml("send: all"));
    const opened = await edited.perform(edited.activities.openRun, own);
    expect(await harness.state.run("run-2")).toMatchObject({ configHash: opened.configHash });
    expect(opened.configHash).not.toBe(harness.deps.config.syncs.get("accounts")?.configHash);
  });

  it("is of the source with which it succeeds, whose places may hold keys", async () => {
    const harness = await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": "" } });
    const dying = harness.activitiesWith(dyingAt(harness, "takeLock"));
    await failureOf(harness.perform(dying.openRun, asked));
    expect(await harness.state.run("run-1")).toMatchObject({ placesAreLines: true });
    const { query, url } = await postgres();
    await query("create table companies (id text primary key, domain text, name text)");
    const yaml = accountsYaml()
      .replace("connector: csv, path: accounts.csv", `connector: postgres, url: "${url}"`)
      .replace("from: exports", "from: { connection: exports, table: companies }");
    const edited = await harness.withYaml(yaml);
    await edited.perform(edited.activities.openRun, asked);
    expect(await harness.state.run("run-1")).toMatchObject({ placesAreLines: false });
  });

  it("ends a run that has staged with another configuration", async () => {
    const { run } = await stagedRun();
    const edited = await run.harness.withYaml(accountsYaml("send: all"));
    const own = { ...asked, workflowId: "wf-run-1", firstRunId: "first-run-1" };
    const failure = await failureOf(edited.perform(edited.activities.openRun, own));
    expect(failure).toMatchObject({ type: "ConfigChanged", nonRetryable: true });
    expect(failure.message).toBe(
      "the configuration of sync accounts changed since run run-1 was begun",
    );
  });

  it("ends a run that was begun for another service, whose lock it then leaves alone", async () => {
    const run = await openedRun();
    const { harness } = run;
    const moved = harness.with({ target: "https://other.example" });
    const own = { ...asked, workflowId: "wf-run-1", firstRunId: "first-run-1" };
    const failure = await failureOf(moved.perform(moved.activities.openRun, own));
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(failure.message).toContain("this worker sends to https://other.example");
    const lock = sendLock("https://other.example", "accounts");
    expect(await harness.state.lockHolder(lock)).toBeUndefined();
  });

  it("leaves the lock with the run that holds it, and names that run", async () => {
    const run = await openedRun();
    const { harness } = run;
    const other = { ...asked, runId: "run-2" };
    for (const attempt of [1, 2]) {
      const failure = await failureOf(
        harness.perform(harness.activities.openRun, other, { attempt }),
      );
      expect(failure).toMatchObject({ type: "Busy", nonRetryable: true });
      expect(failure.message).toContain("run-1");
    }
    const closing = { runId: "run-2", outcome: "busy" } as const;
    await harness.perform(harness.activities.closeRun, closing);
    expect(await run.transfer()).toMatchObject({ outcome: "done", counts: { sent: rows } });
  });

  it("takes the lock over from a workflow that Temporal says is closed", async () => {
    const { harness } = await openedRun();
    const { openRun } = harness.activitiesWith({ isWorkflowOpen: async () => false });
    expect(await harness.perform(openRun, { ...asked, runId: "run-2" })).toMatchObject({
      fence: 2,
    });
  });
});

describe("openRun", () => {
  const input = { kind: "sync", runId: "run-1", workflowId: "wf", firstRunId: "first" } as const;

  it("names the column that is missing and none that is there, because a file's first row may be there", async () => {
    const files = { "accounts.csv": "id,website\n1,a.example\n" };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    const asked = { ...input, sync: "accounts", request: {} };
    const failure = await failureOf(harness.perform(harness.activities.openRun, asked));
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(failure.message).toContain('reads the columns "domain", "name"');
    expect(JSON.stringify(failure.details)).toContain("sluice preview accounts");
    expect(JSON.stringify(failure)).not.toContain("website");
  });

  it("names the syncs there are when asked for another", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    const asked = { ...input, sync: "contacts", request: {} };
    const failure = await failureOf(harness.perform(harness.activities.openRun, asked));
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(JSON.stringify(failure.details)).toContain("the syncs are: accounts");
  });

  it("tells the workflow what it cannot look up, and no secret", async () => {
    const { opened, harness } = await openedRun(
      "mode: heavyweight",
      "lightweight: { parts_max: 7 }",
    );
    expect(opened).toMatchObject({
      runId: "run-1",
      storeId: harness.state.storeId,
      hostQueue: "sluice-host-1",
      settings: { mode: "heavyweight", lightweightPartsMax: 7 },
    });
    expect(JSON.stringify(opened)).not.toContain(harnessKey);
  });
});
