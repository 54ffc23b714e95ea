import { expect, it, onTestFinished } from "vitest";

import { startResend } from "../../../src/local/resend.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

it("a resend that runs is woken by another start, so that it cannot end without another look", async () => {
  const { client, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  for (let starts = 0; starts < 2; starts++) {
    await startResend(client, { taskQueue: "sluice" }, "accounts");
  }
  const { events } = await client.workflow.getHandle("resend-accounts").fetchHistory();
  const signals = (events ?? []).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? [],
  );
  expect(signals).toEqual(["wake", "wake"]);
});
