import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { until, type Ended } from "../../support/process/process.ts";
import { endOfNotification, notifyingProject } from "../../support/project/notifying-project.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";
import { Receiver, receiverSecret, verified } from "../../support/webhooks/receiver.ts";

const timeoutMs = 240_000;

describe("the notification of a run", () => {
  it(
    "holds up neither the run nor the others when a receiver hangs, and what was given up is told",
    async () => {
      const hanging = await Receiver.start("never");
      const gone = await Receiver.start(410);
      const well = await Receiver.start();
      const project = await notifyingProject(
        [hanging, gone, well],
        `${accountsCsv(3)}a3,no domain,X,1\n`,
      );
      const report = await (await project.start({ sync: "accounts" })).result();
      expect(report.outcome).toBe("done_with_rejects");
      await until(async () => well.received.length > 0 && hanging.received.length > 0);
      const [event] = well.received.map(verified);
      expect(event).toMatchObject({
        type: "run.done_with_rejects",
        data: { counts: { rejected: 1 } },
      });
      const warned = await until(async () => {
        const { warnings } = await project.report();
        return warnings.length > 0 && warnings;
      });
      expect(warned).toHaveLength(1);
      expect(warned[0]).toMatch(
        /^the notification to 127\.0\.0\.1:\d+-[\da-f]{8} was not delivered: POST to .*: 410/,
      );
      expect((await project.sluice("runs", "show")).stdout).toContain(
        "warning     the notification to",
      );
      // The hanging one is tried again and accepts it then; a failure at one is not a reason to notify another twice.
      expect(await endOfNotification(project, report.run_id)).toBe("FAILED");
      expect([hanging, gone, well].map(({ received }) => received.length)).toEqual([2, 1, 1]);
    },
    timeoutMs,
  );

  it(
    "tells of a run that was killed when the next worker finds it",
    async () => {
      const receiver = await Receiver.start();
      const project = await notifyingProject([receiver]);
      project.sandbox.order({ step: "upload-json", do: { delayMs: 60_000 } });
      const handle = await project.start({ sync: "accounts" });
      await until(async () => (await project.state.runs({ limit: 1 })).length > 0);
      await handle.terminate();
      await project.worker();
      await until(async () => receiver.received.length > 0);
      expect(receiver.received.map(verified)).toMatchObject([{ type: "run.abandoned" }]);
    },
    timeoutMs,
  );

  it(
    "leaves before a command stops the worker that it started, or with the next one",
    async () => {
      // However often the first worker tries while it is there.
      const receiver = await Receiver.start(...Array<"never">(10).fill("never"));
      const project = await Project.start(onTestFinished, {
        "sluice.yaml":
          `${accountsConfig()}notify: { url: "${receiver.url}", secret: "${receiverSecret}", on: ` +
          `always }\n`,
        "accounts.csv": accountsCsv(3),
      });
      const run = async (): Promise<Ended> =>
        await project.sluiceWith({ TEMPORAL_ADDRESS: undefined }, "run", "accounts");
      const first = await run();
      expect(first.code).toBe(0);
      expect(first.stderr).toContain("is not delivered yet: the next worker continues with it");
      const tried = receiver.received.length;
      expect(tried).toBeGreaterThan(0);
      receiver.answers.length = 0;
      const second = await run();
      expect([second.code, second.stderr.includes("not delivered")]).toEqual([0, false]);
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
      expect([ids.length, new Set(ids).size]).toEqual([tried + 2, 2]);
    },
    timeoutMs,
  );

  it(
    "cannot be typed into the Web UI: not who is told, nor what (T3)",
    async () => {
      const receiver = await Receiver.start();
      const project = await notifyingProject([receiver]);
      const failureOf = async (id: string, input: unknown): Promise<unknown> => {
        const options = { taskQueue: "sluice", workflowId: id, args: [input] };
        const { client } = project.temporal;
        const result = client.workflow.execute("notify", options);
        return await result.catch((error: unknown) =>
          error instanceof WorkflowFailedError ? error.cause : error,
        );
      };
      const targets = [new URL(receiver.url).origin];
      const report = { sync: "accounts", outcome: "done" };
      const forged = { run_id: "accounts-1", targets, report };
      expect(await failureOf("forged", forged)).toMatchObject({ type: "InvalidInput" });
      const unknown = { run_id: "accounts-1", targets };
      expect(await failureOf("unknown", unknown)).toMatchObject({ type: "Unavailable" });
      expect(receiver.received).toEqual([]);
    },
    timeoutMs,
  );
});
