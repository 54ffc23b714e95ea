import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { Receiver, receiverSecret, verified } from "../../support/webhooks/receiver.ts";

type Told = {
  readonly harness: Harness;
  readonly run: TestRun;
  /** Posts the notification of the run once. */
  readonly tell: () => Promise<void>;
};

/** A run whose notification goes to this receiver. */
async function runFor(receiver: Receiver): Promise<Told> {
  const harness = await Harness.open({
    yaml: `${accountsYaml()}notify: { url: "${receiver.url}", secret: "${receiverSecret}", on: always }\n`,
    files: { "accounts.csv": accountsCsv(3) },
  });
  harness.clock.nowMs = Date.now();
  const target = harness.deps.config.notify[0]?.target ?? "";
  const { postNotification } = harness.activities;
  const tell = async (): Promise<void> =>
    await harness.perform(postNotification, { runId: "run-1", target });
  return { harness, run: await TestRun.open(harness), tell };
}

describe("postNotification", () => {
  it("posts the report of the run, signed", async () => {
    const receiver = await Receiver.start();
    const { run, tell } = await runFor(receiver);
    const report = await run.transfer();
    await tell();
    expect(receiver.received.map(verified)).toMatchObject([
      { type: "run.done", timestamp: report.ended_at, data: report },
    ]);
  });

  it("posts the same event under the same id again (I6)", async () => {
    const receiver = await Receiver.start(500);
    const { run, tell } = await runFor(receiver);
    await run.transfer();
    const failure = await failureOf(tell());
    expect([failure.type, failure.nonRetryable]).toEqual(["Unavailable", false]);
    await tell();
    const [first, second] = receiver.received;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toBe(first?.body);
  });

  it("stops when the receiver left the configuration", async () => {
    const receiver = await Receiver.start();
    const { harness, run } = await runFor(receiver);
    await run.transfer();
    const { postNotification } = harness.activities;
    const failure = await failureOf(
      harness.perform(postNotification, { runId: "run-1", target: "gone.example-1" }),
    );
    expect([failure.type, failure.nonRetryable]).toEqual(["ConfigError", true]);
    expect(receiver.received).toEqual([]);
  });

  it("tells of no run that continues, or that nobody knows", async () => {
    const receiver = await Receiver.start();
    const { run, tell } = await runFor(receiver);
    expect(await failureOf(tell())).toMatchObject({ type: "WrongStore", nonRetryable: true });
    await run.close();
    await tell();
    expect(receiver.received).toHaveLength(1);
  });

  it("tells of a hold while the run is held, and not once somebody has decided", async () => {
    const receiver = await Receiver.start();
    const { harness, run } = await runFor(receiver);
    const since = "2026-01-01T00:00:00.000Z";
    const hold = { number: 2, digest: "0123", since, broken: [], approvedAt: null };
    await harness.state.setHold({ runId: "run-1", hold });
    const { postNotification } = harness.activities;
    const target = harness.deps.config.notify[0]?.target ?? "";
    const tellOf = async (number: number): Promise<void> =>
      await harness.perform(postNotification, { runId: "run-1", target, hold: number });
    await tellOf(1);
    expect(receiver.received).toEqual([]);
    await tellOf(2);
    expect(receiver.received.map(verified)).toMatchObject([{ type: "run.held", timestamp: since }]);
    await run.close({ outcome: "discarded" });
    await tellOf(2);
    expect(receiver.received).toHaveLength(1);
  });
});
