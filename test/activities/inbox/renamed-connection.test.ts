import { expect, it } from "vitest";

import { inboxFileIn } from "../../../src/inbox/file.ts";
import { canaries } from "../../support/canaries.ts";
import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { KeptEvents } from "../../support/webhooks/kept-events.ts";

/** A `sluice.yaml` whose only connection has this name. */
function yamlOf(name: string): string {
  return `${harnessHead}connections:
  ${name}: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: ${name}
    stream: account
    record: { account_id: id, domain: site, account_properties: { name: name } }
`;
}

/** An event of the account a1. */
function named(name: string): string {
  return JSON.stringify({ id: "a1", site: "a.example", name });
}

it("continues where it was, once its connection was renamed and has its name back", async () => {
  const harness = await Harness.open({ yaml: yamlOf("forms") });
  const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
  const read: number[] = [];
  const runAs = async (name: string): Promise<void> => {
    const run = await TestRun.open(await harness.withYaml(yamlOf(name)), {
      runId: `run-${read.length}`,
    });
    read.push((await run.transfer()).counts.read);
  };
  const heldName = async (): Promise<unknown> => (await harness.sandbox.names()).get("a1");
  events.keep("forms", named("oldest"), named("old"));
  await runAs("forms");
  events.keep("forms", named("left"));
  events.keep("web", named("of web"));
  await runAs("web");
  await runAs("web");
  await runAs("forms");
  expect(read).toEqual([2, 1, 0, 1]);
  expect(await heldName()).toBe("left");
  events.keep("web", named("new"));
  await runAs("web");
  await runAs("forms");
  expect(read.slice(4)).toEqual([1, 0]);
  expect(await heldName()).toBe("new");
});
