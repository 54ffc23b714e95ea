import { expect, it } from "vitest";

import { newer, overMs, resend, transfer } from "../../support/project/doubt-story.ts";
import { dyingAt, failureOf, losingAnswerOf } from "../../support/project/harness.ts";
import { rows, stagedRun, type Staged, type TestRun } from "../../support/project/test-run.ts";

type Noting = "endRequest" | "movePart";

/** A request whose end the store could not note: the disk was full for a moment. */
async function unnoted(
  method: Noting,
): Promise<{ readonly run: TestRun; readonly chunk: Staged; readonly failure: unknown }> {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const { uploadJson } = harness.activitiesWith(dyingAt(harness, method));
  if (method === "endRequest") harness.sandbox.order("upload-json", { status: 500 });
  const failure = await failureOf(harness.perform(uploadJson, run.part(chunk)));
  return { run, chunk, failure };
}

it.each<Noting>(["endRequest", "movePart"])(
  "a request of which the store could not note the end is over in time, although its worker lives on: %s",
  async (method) => {
    const { run, chunk, failure } = await unnoted(method);
    expect(failure).toMatchObject({ nonRetryable: false });
    await sendAndClose(run, chunk);
    await isOverInTime(run);
  },
);

it.each<Noting>(["endRequest", "movePart"])(
  "a request of which the store could not note the end is over in time, although nobody tries again: %s",
  async (method) => {
    const { run, failure } = await unnoted(method);
    expect(failure).toMatchObject({ nonRetryable: false });
    await run.close({ outcome: "cancelled" });
    await isOverInTime(run);
  },
);

it("a request of which the store noted the beginning and lost the answer is over in time, too", async () => {
  const { run, chunk } = await stagedRun();
  const { uploadJson } = run.harness.activitiesWith(losingAnswerOf(run.harness, "beginPart"));
  const failure = await failureOf(run.harness.perform(uploadJson, run.part(chunk)));
  expect(failure).toMatchObject({ nonRetryable: false });
  await sendAndClose(run, chunk);
  await isOverInTime(run);
});

async function sendAndClose(run: TestRun, chunk: Staged): Promise<void> {
  await run.send(chunk, "body");
  await run.commit(chunk);
  await run.close();
}

/** Records that are sent again and then in a newer version are in doubt until the earlier requests are over. */
async function isOverInTime({ harness }: TestRun): Promise<void> {
  await harness.write("accounts.csv", newer);
  await transfer(harness, "run-2");
  const look = async () =>
    await harness.perform(harness.activities.lookForDoubts, { sync: "accounts" });
  expect(await look()).toMatchObject({ inDoubt: rows, due: 0 });

  harness.clock.nowMs += overMs;

  expect(await look()).toMatchObject({ inDoubt: rows, due: rows });
  await resend(harness, "run-3");
  expect(await look()).toMatchObject({ inDoubt: 0 });
}
