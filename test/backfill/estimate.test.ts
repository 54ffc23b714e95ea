import { describe, expect, it } from "vitest";

import { sampleRowsMax } from "../../src/backfill/limits.ts";
import { hostBeatMs } from "../../src/state/limits.ts";
import { accountsCsv } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";
import { PlanTest, withArray } from "./plan-test.ts";

describe("the estimates of a plan", () => {
  it("are those of the sample for all rows, in chunks of the sync", async () => {
    const [, source] = await withArray(20_000);
    const test = await PlanTest.open(accountsCsv(1), "chunk: { records: 3000 }");
    const { plan } = await test.plan({}, source);
    expect(plan).toMatchObject({
      records: 20_000,
      chunks: 7,
      requests: 21,
      json_bytes: plan.sample.json_bytes * 20,
      gzip_bytes: plan.sample.gzip_bytes * 20,
      mode: "heavyweight",
      mode_reason: "decided by the first chunk; likely heavyweight: it is larger than one chunk",
    });
    // Each lane begins a chunk of its own: 2 + 2 + 2 + 2.
    expect((await test.plan({ lanes: 4 }, source)).plan).toMatchObject({ chunks: 8, requests: 24 });
  });

  it.each([
    [{}, { mode: "lightweight", requests: 1 }, "about 1 body of 1 MB, 1 allowed"],
    [{ mode: "heavyweight" }, { mode: "heavyweight", requests: 3 }, "heavyweight was asked for"],
    [{ mode: "lightweight" }, { mode: "lightweight", requests: 1 }, "lightweight was asked for"],
  ] as const)("say which mode, how many requests, and why: %j", async (asked, chosen, why) => {
    const test = await PlanTest.open(accountsCsv(100));
    const { plan } = await test.plan(asked);
    expect(plan).toMatchObject(chosen);
    expect(plan.mode_reason).toContain(why);
  });

  it("count the bodies of lightweight mode", async () => {
    const [test, source] = await withArray(100_000);
    const { plan } = await test.plan({ mode: "lightweight" }, source);
    expect(plan.requests).toBe(Math.ceil((plan.sample.json_bytes * 100) / 1_000_000));
    const auto = (await test.plan({}, source)).plan;
    expect(auto.mode).toBe("heavyweight");
    expect(auto.mode_reason).toContain("more than the 1 allowed");
  });

  it("are nothing for an empty span", async () => {
    const [test, source] = await withArray(0);
    expect((await test.plan({}, source)).plan).toMatchObject({
      rows: 0,
      records: 0,
      requests: 0,
      json_bytes: 0,
      gzip_bytes: 0,
    });
  });

  it("take the time from the last run that read enough, for each lane, or from the sample", async () => {
    const [, source] = await withArray(20_000);
    const test = await PlanTest.open(accountsCsv(sampleRowsMax - 1));
    await test.send("too-small");
    const { plan } = await test.plan({}, source);
    expect(plan.seconds_from).toBe("the sample of 1000 rows, without the time to send them");
    expect(plan.seconds).toBe(Math.ceil((20 * Math.max(1, plan.sample.ms)) / 1_000));

    await test.harness.write("accounts.csv", accountsCsv(sampleRowsMax));
    const run = await TestRun.open(test.harness, { runId: "large" });
    const staged = await run.stage();
    await run.send(staged);
    await run.commit(staged);
    test.harness.clock.nowMs += 10_000;
    await run.close();
    const alone = (await test.plan({}, source)).plan;
    expect(alone).toMatchObject({ seconds: 200, seconds_from: "run large: 1000 rows in 10 s" });
    const inLanes = (await test.plan({ lanes: 4 }, source)).plan;
    expect(inLanes.seconds).toBe(50);
  });

  it("take neither the night without a worker nor the wait for a person for the time of a run", async () => {
    const [, source] = await withArray(20_000);
    const test = await PlanTest.open(accountsCsv(sampleRowsMax));
    const { clock, state } = test.harness;
    const beat = { hostId: "h", process: "1", temporalId: "t", version: "1", configs: {} };
    const works = async (): Promise<void> =>
      await state.beat({ ...beat, command: "worker", lastBeat: clock.nowMs });
    const run = await TestRun.open(test.harness, { runId: "idle" });
    await works();
    const staged = await run.stage();
    await run.send(staged);
    clock.nowMs += 8 * 3_600_000 + hostBeatMs;
    await works();
    await run.commit(staged);
    clock.nowMs += 10_000;
    await run.close();
    const from = "run idle: 1000 rows in 20 s";
    expect((await test.plan({}, source)).plan).toMatchObject({ seconds: 400, seconds_from: from });

    await test.harness.write("accounts.csv", accountsCsv(sampleRowsMax + 1));
    const held = await TestRun.open(test.harness, { runId: "held", request: { full: true } });
    const all = await held.stage();
    const since = new Date(clock.nowMs).toISOString();
    clock.nowMs += 8 * 3_600_000;
    const approvedAt = new Date(clock.nowMs).toISOString();
    const hold = { number: 1, digest: "d", since, broken: [], approvedAt };
    await state.setHold({ runId: "held", hold });
    await held.send(all);
    await held.commit(all);
    await held.close();
    expect((await test.plan({}, source)).plan.seconds_from).toBe(from);
  });
});
