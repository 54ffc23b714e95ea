import { tmpdir } from "node:os";

import { expect, it, onTestFinished } from "vitest";

import { tellRun } from "../../../../src/cli/running/tell-run.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

it("says of an answer that no worker took that the next one may", async () => {
  const { client, close } = await ownNamespace(tmpdir());
  onTestFinished(close);
  const workflowId = "held-by-nobody";
  const { firstExecutionRunId: firstRunId } = await client.workflow.start("sync", {
    taskQueue: "sluice",
    workflowId,
    args: [{ sync: "accounts" }],
  });
  const run = { workflowId, firstRunId };
  const ended = new ConfigError("it has ended");
  const telling = { name: "approve", what: "run 1", ended, answerMs: 1_500 } as const;
  await expect(tellRun(client, run, telling)).rejects.toMatchObject({
    message:
      'run 1: no worker on its task queue, sluice, answered "approve" within 1.5 s; the next one may still take it',
    hint: expect.stringContaining("start one with `sluice worker`") as unknown,
  });
});
