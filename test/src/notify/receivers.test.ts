import { describe, expect, it } from "vitest";

import type { NotifyConfig } from "../../../src/config/schema/notify.ts";
import { receiversOf } from "../../../src/notify/receivers.ts";
import { Secret } from "../../../src/security/secret.ts";
import { outcomes, type RunKind } from "../../../src/state/contract/runs/runs.ts";

const url = new Secret("https://hooks.example");
const receivers = (["failed", "done_with_rejects", "always"] as const).map((on): NotifyConfig => ({
  target: on,
  on,
  url,
  format: "slack",
}));

/** The receivers that are notified of a run with this outcome. */
function heardBy(
  outcome: (typeof outcomes)[number] | "held" | "running",
  { kind = "sync" }: { kind?: RunKind } = {},
): string[] {
  return receiversOf(receivers, { kind, outcome }).map(({ target }) => target);
}

describe("receiversOf", () => {
  it("tells each of the outcomes that it wants to hear of", () => {
    expect(outcomes.map((outcome) => [outcome, heardBy(outcome).length])).toEqual([
      ["done", 1],
      ["done_with_rejects", 2],
      ["failed", 3],
      ["cancelled", 1],
      ["busy", 1],
      ["credits_exhausted", 3],
      ["discarded", 1],
      ["abandoned", 3],
    ]);
  });

  it("tells everybody of a run that is held: nothing is sent until somebody looks", () => {
    expect(heardBy("held")).toHaveLength(3);
  });

  it("tells of a drain that failed, and of no other", () => {
    const drains = outcomes.map((outcome) => heardBy(outcome, { kind: "inbox" }).length);
    expect(drains).toEqual([0, 0, 3, 0, 0, 3, 0, 3]);
  });

  it("tells nobody of one that continues", () => {
    expect(heardBy("running")).toEqual([]);
  });
});
