import { expect, it } from "vitest";

import { resetSync } from "../../../src/cli/status/reset.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { lateRequest } from "../../support/late-request.ts";
import { held, newer, overMs, resend, transfer } from "../../support/project/doubt-story.ts";
import { rows, stagedRun } from "../../support/project/test-run.ts";

it("`state reset` leaves in doubt what a run sends that begins meanwhile", async () => {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const late = await lateRequest(run, chunk);
  harness.terminated.add("first-run-1");
  await harness.write("accounts.csv", newer);
  const { state, target } = harness.deps;
  const beside: StateStore = {
    ...state,
    setCheckpoint: async (input) => {
      const moved = await state.setCheckpoint(input);
      await transfer(harness, "run-2");
      return moved;
    },
  };
  const at = "2026-01-01T00:00:00.000Z";
  await resetSync(beside, { target, sync: "accounts" }, { reason: "anew", at });
  await late.arrive();
  harness.clock.nowMs += overMs;
  expect(await held(harness, "a0")).toBe("name 0");
  expect(await resend(harness, "run-3")).toMatchObject({ counts: { sent: rows } });
  expect(await held(harness, "a0")).toBe("newer 0");
});
