import { assert, expect, it } from "vitest";

import { talkWith } from "../../../../src/cli/backfill/follow-backfill.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { fakeWorld, goodBackfill, progressOf } from "../../../workflows/fake-world.ts";

const fakes = fakeWorld();

it("a yes to a plan does not count for another, which waits since somebody approved the first", async () => {
  const good = goodBackfill({ isApproved: false });
  const times = ["2026-11-01T12:00:00.000Z", "2026-11-01T12:30:00.000Z"] as const;
  const opened: unknown[] = [];
  const run = fakes({
    ...good,
    planBackfill: async (asking) => {
      const planned = await good.planBackfill(asking);
      const planned_at = times[run.callsOf("planBackfill").length - 1] ?? "";
      return "plan" in planned ? { ...planned, plan: { ...planned.plan, planned_at } } : planned;
    },
    openBackfill: async (asking) => {
      opened.push(asking.approved?.planned_at);
      return opened.length === 1 ? { moved: "another file" } : await good.openBackfill(asking);
    },
  });
  const handle = await run.start("backfill", { sync: "accounts" });
  const approve = handle.executeUpdate.bind(handle);
  let isAnswered = false;
  handle.executeUpdate = async (
    ...update: Parameters<typeof approve>
  ): ReturnType<typeof approve> => {
    if (!isAnswered) {
      isAnswered = true;
      await approve("approve");
      await run.begun("planBackfill", 2);
      await run.until(async () => (await progressOf(handle)).needs_approval);
    }
    return await approve(...update);
  };
  const said: string[] = [];
  const environment = readEnvironment({});
  const say = (text: string): void => void said.push(text);
  const context = { cwd: "", environment, print: () => undefined, say, exit: () => undefined };
  const begun = { handle, firstRunId: "", isOurs: true };
  const options = { yes: true };
  const { plan } = await talkWith(begun, { context, options, interrupted: new AbortController() });
  assert(plan !== undefined);
  expect(said[0]).toBe("that is not the plan that waits now: look at the details again");
  expect(plan.planned_at).toBe(times[1]);
  expect(opened).toEqual(times);
});
