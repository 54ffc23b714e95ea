import { expect, it } from "vitest";

import { lateRequest } from "../support/late-request.ts";
import { held, newer, overMs } from "../support/project/doubt-story.ts";
import { accountsYaml, type Harness } from "../support/project/harness.ts";
import { rows, stagedRun, TestRun } from "../support/project/test-run.ts";

/**
 * The project after a run that was cancelled with its request on its way, with newer rows; and a function that lets the
 * request arrive.
 */
async function cancelled(
  yaml: string,
): Promise<{ harness: Harness; arrive: () => Promise<unknown> }> {
  const { run, chunk } = await stagedRun();
  const late = await lateRequest(run, chunk);
  await run.close({ outcome: "cancelled" });
  await run.harness.write("accounts.csv", newer);
  return { harness: await run.harness.withYaml(yaml), arrive: async () => await late.arrive() };
}

it("a request of a sync that has another name now is overwritten once more when it is applied late", async () => {
  const sync = "companies";
  const yaml = accountsYaml().replace("  accounts:\n    from", `  ${sync}:\n    from`);
  const { harness, arrive } = await cancelled(yaml);
  const second = await (await TestRun.open(harness, { sync, runId: "run-2" })).transfer("body");
  expect(second.warnings.join()).toContain("an older value may still be applied over 5 records");
  expect(harness.resending).toContain(sync);
  await arrive();
  expect(await held(harness, "a0")).toBe("name 0");
  const look = async () => await harness.perform(harness.activities.lookForDoubts, { sync });
  expect(await look()).toMatchObject({ inDoubt: rows, due: 0 });

  harness.clock.nowMs += overMs;

  const resend = { sync, runId: "run-3", kind: "resend" } as const;
  expect(await (await TestRun.open(harness, resend)).transfer("body")).toMatchObject({
    counts: { sent: rows },
  });
  expect(await held(harness, "a0")).toBe("newer 0");
  expect(await look()).toMatchObject({ inDoubt: 0 });
});

it("a request of a sync with another stream overwrites nothing, and puts nothing in doubt", async () => {
  const yaml = accountsYaml()
    .replace("stream: account", "stream: contact")
    .replace("  accounts:\n    from", "  contacts:\n    from")
    .replace(
      "account_id: id\n      domain: domain\n      account_properties",
      "contact_id: id\n      email: { value: a@b.example }\n      contact_properties",
    );
  const { harness, arrive } = await cancelled(yaml);
  const second = await TestRun.open(harness, { sync: "contacts", runId: "run-2" });
  expect(await second.transfer("body")).toMatchObject({ counts: { sent: rows }, warnings: [] });
  await arrive();
});
