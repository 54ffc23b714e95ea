import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import { inboxCheckScheduleId } from "../../../src/schedules/ids.ts";
import type { inboxDrain } from "../../../workflows/inbox/inbox-drain.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { Project } from "../../support/project/project.ts";
import {
  arrived,
  formsConfig,
  postSubmission,
  ReceiverProcess,
  submission,
  takenInAll,
} from "../../support/webhooks/webhooks.ts";

it(
  "has what is pushed in the service within seconds, a trickle in few runs, and ends with 0 when " +
    "it is told to stop",
  async () => {
    const project = await Project.start(onTestFinished, { "sluice.yaml": formsConfig() });
    const { schedule, workflow } = project.temporal.client;
    await project.worker();
    const receiver = await ReceiverProcess.start(project, onTestFinished);
    expect(await postSubmission(receiver.address, 1)).toBe(202);
    await arrived(project, 1);
    // Only the notifier brings the next one, not the check of every minute.
    await schedule.getHandle(inboxCheckScheduleId("sluice")).pause();
    expect(await postSubmission(receiver.address, 2)).toBe(202);
    await arrived(project, 2);
    expect(await postSubmission(receiver.address, 2)).toBe(200);

    const file = join(await temporaryFolder(), "events.json");
    await writeFile(file, `[${submission(3)},${submission(4)}]`);
    const url = `${receiver.address}/hooks/forms`;
    const send = ["webhooks", "send", "--connection", "forms", "--url", url, file];
    expect(await project.sluice(...send)).toMatchObject({
      code: 0,
      stdout: "202: 2 events kept\n",
    });
    for (let event = 5; event <= 12; event++) {
      expect(await postSubmission(receiver.address, event)).toBe(202);
      await delay(50);
    }
    await arrived(project, 12);
    const drain = workflow.getHandle<typeof inboxDrain>("inbox-forms");
    expect(await drain.result()).toMatchObject({ connection: "forms", blocked: null });
    expect(await takenInAll(project)).toBe(12);
    const runs = await project.state.runs({ limit: 50 });
    expect(runs.length).toBeLessThan(12);
    for (const run of runs) {
      expect(run).toMatchObject({ kind: "inbox", outcome: "done", mode: "lightweight" });
    }

    const { stdout } = await project.sluice("status");
    expect(stdout).toMatch(/^submissions +\d{4}-\d\d-\d\d \d\d:\d\d UTC +done +read \d/m);
    expect(stdout).toMatch(/^forms +\/hooks\/forms +0 +-$/m);

    receiver.child.kill("SIGTERM");
    expect((await receiver.ended).code).toBe(0);
  },
);
