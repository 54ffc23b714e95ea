import { expect, it, onTestFinished } from "vitest";

import { lateRequest } from "../../support/late-request.ts";
import { held, newer, overMs, resend, transfer } from "../../support/project/doubt-story.ts";
import type { Harness } from "../../support/project/harness.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import { stagedRun } from "../../support/project/test-run.ts";

/** A run that is abandoned while its request with every account is on its way. */
async function givenUp(): Promise<{ readonly harness: Harness; readonly arrive: () => unknown }> {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const late = await lateRequest(run, chunk);
  await run.close({ outcome: "cancelled" });
  await harness.write("accounts.csv", newer);
  return { harness, arrive: async () => await late.arrive() };
}

async function erase({ deps: { state, target }, clock }: Harness, key: string): Promise<unknown> {
  return await state.eraseKey({ target, sync: "accounts", key, now: clock.moment() });
}

it("a key is erased only when no request with it may be applied any more", async () => {
  const { harness, arrive } = await givenUp();
  const refused = {
    code: "Busy",
    message: "a request of run run-1 with this key may still be applied",
  };
  await expect(erase(harness, "a0")).rejects.toMatchObject(refused);
  expect(await erase(harness, "never sent")).toMatchObject({ keyLists: 0 });
  await transfer(harness, "run-2");
  await arrive();
  expect(await held(harness, "a0")).toBe("name 0");
  await expect(erase(harness, "a0")).rejects.toMatchObject({
    message: `${refused.message}, for 3 min`,
  });
  harness.clock.nowMs += overMs;
  await resend(harness, "run-3");
  expect(await held(harness, "a0")).toBe("newer 0");
  expect(await erase(harness, "a0")).toMatchObject({ fingerprints: 1 });
});

it("a key that was erased is no stray one, and what stands in its place is none", async () => {
  const { harness, arrive } = await givenUp();
  await arrive();
  harness.clock.nowMs += overMs;
  expect(await erase(harness, "a0")).toMatchObject({ keyLists: 1 });
  const { warnings } = await transfer(harness, "run-2");
  expect(warnings.join()).not.toContain("came with no later run");
  const { state, target } = harness.deps;
  expect(await state.strayKeys({ target, sync: "accounts", limit: 10 })).toEqual([]);
});

it("a key that another process erased is no stray one for a worker that had read its list", async () => {
  const { harness, arrive } = await givenUp();
  const { config, state, target } = harness.deps;
  await expect(erase(harness, "a0")).rejects.toMatchObject({ code: "Busy" });
  await arrive();
  harness.clock.nowMs += overMs;
  const other = await openStoreInline(config.stateFolder);
  onTestFinished(async () => await other.close());
  expect(await erase(harness.withState(other), "a0")).toMatchObject({ keyLists: 1 });
  await harness.write("accounts.csv", newer.replace(/^a[01],.*\n/gm, ""));
  await transfer(harness, "run-2");
  const strays = await state.strayKeys({ target, sync: "accounts", limit: 10 });
  expect(strays.map(({ key }) => key)).toEqual(["a1"]);
});
