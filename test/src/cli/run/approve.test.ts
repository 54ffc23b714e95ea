import { afterEach, describe, expect, it, vi } from "vitest";

import { registerApprove, registerDiscard } from "../../../../src/cli/run/approve.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { heldNight, heldYaml } from "../../../support/project/held-night.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { ending, endingWorker } from "../../../support/temporal/ending-worker.ts";

afterEach(() => void vi.unstubAllEnvs());

async function approve(harness: Harness): Promise<Shown> {
  return await runVerb(registerApprove, harness, ["approve", "run-1"]);
}

describe("sluice approve", () => {
  it("says of a sync that has another name by now that it is not there any more", async () => {
    const harness = await heldNight();
    await harness.withYaml(heldYaml.replace("  accounts:\n", "  companies:\n"));
    await expect(approve(harness)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^run run-1 was not sent: there is no sync "accounts" in .*sluice\.yaml any more$/,
      ) as unknown,
      hint:
        "`sluice discard run-1`; to send it all the same, give the sync its name back, before a sync of another " +
        "name sends newer rows",
    });
  });

  it("says of a sync that was edited meanwhile that what is staged is not what it makes now", async () => {
    const harness = await heldNight();
    await harness.withYaml(heldYaml.replace("{ name: name }", "{ title: name }"));
    await expect(approve(harness)).rejects.toThrow(
      "run run-1 was not sent: the configuration of sync accounts changed since it was staged",
    );
  });

  it("sends nothing that was staged for another account", async () => {
    const harness = await heldNight();
    await harness.withYaml(heldYaml.replace("api:\n", "api:\n  account: another\n"));
    await expect(approve(harness)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^run run-1 was not sent: it is held for http:\S+ main, and \S+ names http:\S+ another$/,
      ) as unknown,
      hint: "`sluice discard run-1`, or have `api` name the service and the account that it was staged for",
    });
  });
});

describe("sluice discard", () => {
  it("needs no service that answers, and no valid key", async () => {
    const harness = await heldNight();
    const { address: temporalAddress } = await endingWorker(harness, ending.failed("not needed"));
    harness.sandbox.order("ping", { status: 401 });
    const { folder, sandbox } = harness;
    const project = { folder, sandbox, temporalAddress };
    // As far as its workflow, of which this Temporal knows nothing.
    await expect(runVerb(registerDiscard, project, ["discard", "run-1"])).rejects.toThrow(
      "run run-1 is not held any more: its workflow has ended",
    );
    await expect(runVerb(registerApprove, project, ["approve", "run-1"])).rejects.toMatchObject({
      code: "AuthFailed",
    });
  });
});
