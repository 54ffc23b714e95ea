import { expect, it } from "vitest";

import { notifyTriesMax } from "../../../src/limits.ts";
import { until } from "../../support/process/process.ts";
import { endOfNotification, notifyingProject } from "../../support/project/notifying-project.ts";
import { Receiver, verified } from "../../support/webhooks/receiver.ts";

it("the notification of a run is tried until it is taken, under one id, after the run has ended", async () => {
  const receiver = await Receiver.start(...Array<number>(notifyTriesMax).fill(500));
  const project = await notifyingProject([receiver]);
  const report = await (await project.start({ sync: "accounts" })).result();
  // The run has ended, and the receiver has accepted nothing yet: from now on it does.
  await until(async () => receiver.received.length > 0);
  const refused = receiver.received.length;
  receiver.answers.length = 0;
  expect(await endOfNotification(project, report.run_id)).toBe("COMPLETED");
  expect(receiver.received).toHaveLength(refused + 1);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const one of receiver.received) {
    expect(verified(one)).toMatchObject({ type: "run.done", data: { run_id: report.run_id } });
  }
  expect(await project.state.runs({ limit: 1 })).toMatchObject([{ warnings: [] }]);
});
