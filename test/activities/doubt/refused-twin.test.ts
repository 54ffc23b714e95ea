import { describe, expect, it, onTestFinished } from "vitest";

import { inboxFileIn } from "../../../src/inbox/file.ts";
import { lateRequest, type LateRequest } from "../../support/late-request.ts";
import { formsYaml, held, overMs, resend, transfer } from "../../support/project/doubt-story.ts";
import { Harness } from "../../support/project/harness.ts";
import { openPostgresInline } from "../../support/project/inline-postgres.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { KeptEvents } from "../../support/webhooks/kept-events.ts";

const kinds = ["sqlite", "postgres"] as const;

type Kind = (typeof kinds)[number];

type Story = {
  readonly harness: Harness;
  readonly late: LateRequest;
  /** Takes a later event of the same key. */
  readonly keep: (name: string) => void;
};

async function openHarness(kind: Kind): Promise<Harness> {
  const harness = await Harness.open({ yaml: formsYaml("site") });
  if (kind === "sqlite") return harness;
  const state = await openPostgresInline(harness.folder);
  onTestFinished(async () => await state.close());
  return harness.withState(state);
}

/** A webhook's project with an event whose request is on its way, and whose run was given up. */
async function eventOnItsWay(kind: Kind): Promise<Story> {
  const harness = await openHarness(kind);
  const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
  const keep = (name: string): void => {
    events.keep("forms", JSON.stringify({ id: "a1", site: "a.example", name }));
  };
  keep("OLD");
  const zombie = await TestRun.open(harness, { kind: "inbox" });
  const late = await lateRequest(zombie, await zombie.stage());
  harness.terminated.add("first-run-1");
  return { harness, keep, late };
}

describe.each(kinds)("a key with two events in a chunk, with a store in %s,", (kind) => {
  it("stays in doubt where the first of two is taken and the second refused", async () => {
    const { harness, keep, late } = await eventOnItsWay(kind);
    keep("TAKEN");
    keep("REFUSED");
    harness.sandbox.refuse("upload-json", [2]);
    expect(await transfer(harness, "run-2", "inbox")).toMatchObject({
      counts: { sent: 2, rejected: 1 },
    });
    await late.arrive();
    expect(await held(harness, "a1")).toBe("OLD");

    harness.clock.nowMs += overMs;
    expect(await resend(harness, "run-3")).toMatchObject({ counts: { sent: 1 } });

    expect(await held(harness, "a1")).toBe("TAKEN");
  });

  it("has no older event sent once more over the one of two that was taken", async () => {
    const { harness, keep, late } = await eventOnItsWay(kind);
    keep("OLDER");
    await transfer(harness, "run-2", "inbox");
    keep("TAKEN");
    keep("REFUSED");
    harness.sandbox.refuse("upload-json", [1]);
    await transfer(harness, "run-3", "inbox");
    await late.arrive();

    harness.clock.nowMs += overMs;
    expect(await resend(harness, "run-4")).toMatchObject({ counts: { sent: 1 } });

    expect(await held(harness, "a1")).toBe("TAKEN");
  });
});
