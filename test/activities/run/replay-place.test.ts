import { describe, expect, it } from "vitest";

import { rejectLimitOf } from "../../../activities/run/replay-place.ts";
import { accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const text = "id,domain,name\na,a.example,A\nb,,B\n";

/** A project whose first run, `run-1`, rejected a row. */
async function project(...sync: readonly string[]): Promise<Harness> {
  const yaml = accountsYaml(...sync);
  const harness = await Harness.open({ yaml, files: { "accounts.csv": text } });
  await (await TestRun.open(harness)).transfer();
  return harness;
}

/** Opens a replay of that run. */
async function replay(harness: Harness, run = "run-1"): Promise<TestRun> {
  return await TestRun.open(harness, { runId: "run-2", request: { replay: { run } } });
}

/** A sync of events with their account in this column. */
function eventsYaml(column: string): string {
  const members = `stream: account_event
    send: all
    record:
      event_id: id
      account_id: ${column}
      event: name
      event_timestamp: { value: "2026-01-01T00:00:00Z" }
      event_properties: {}`;
  return accountsYaml().replace(/stream: account\n[^]*$/, `${members}\n`);
}

describe("placeReplay", () => {
  it("lists the rejects once, however often the run is opened", async () => {
    const harness = await project();
    await replay(harness);
    const { opened } = await replay(harness);
    const page = await harness.state.replayPage({ runId: opened.runId, after: 0, limit: 10 });
    expect(page).toMatchObject({ places: ["accounts.csv:3"], last: 1 });
    expect(await harness.state.replayPage({ runId: opened.runId, after: 1, limit: 10 })).toBe(
      undefined,
    );
  });

  it("lists none of a chunk that was not committed: its rows come again", async () => {
    const harness = await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": text } });
    const cut = await TestRun.open(harness);
    await cut.stage();
    await cut.close({ outcome: "cancelled" });
    expect(await harness.state.replayCounts({ run: "run-1" })).toEqual({
      open: 0,
      replayed: 0,
      superseded: 0,
      uncommitted: 1,
    });
    expect((await (await replay(harness)).transfer()).counts).toMatchObject({ read: 0 });
  });

  it.each([
    {
      when: "there is no such run",
      yaml: accountsYaml(),
      run: "none",
      says: "sync accounts has no such run",
    },
    {
      when: "the run sent to another account",
      yaml: accountsYaml().replace("api_key:", "account: other\n  api_key:"),
      says: "the rejects cannot be replayed: run run-1 was for",
    },
    {
      when: "nothing says what was sent since",
      yaml: accountsYaml("send: all"),
      says: "with `send: all` nothing says which rows were sent since",
    },
  ])("stops before it reads when $when", async ({ yaml, run, says }) => {
    const harness = await project();
    const failure = await failureOf(replay(await harness.withYaml(yaml), run));
    expect(failure.type).toBe("ConfigError");
    expect(failure.message).toContain(says);
  });

  it("replays events whatever was sent since: each stands for itself", async () => {
    const files = { "accounts.csv": "id,domain,name\ne1,,opened\ne2,d,closed\n" };
    const harness = await Harness.open({ yaml: eventsYaml("domain"), files });
    expect((await (await TestRun.open(harness)).transfer()).counts).toMatchObject({ rejected: 1 });
    const report = await (await replay(await harness.withYaml(eventsYaml("id")))).transfer();
    expect(report.counts).toMatchObject({ read: 1, sent: 1 });
  });

  it("is busy while another run sends the sync", async () => {
    const harness = await project();
    await TestRun.open(harness, { runId: "run-3" });
    expect(await failureOf(replay(harness))).toMatchObject({ type: "Busy" });
  });
});

describe("rejectLimitOf", () => {
  it("lets a replay continue, whatever it refuses", () => {
    const rejectLimit = { rate: 0.05, rows: 100 };
    expect(rejectLimitOf({ kind: "sync" }, { rejectLimit })).toBe(rejectLimit);
    expect(rejectLimitOf({ kind: "replay" }, { rejectLimit })).toEqual({ rate: 1, rows: 0 });
  });
});
