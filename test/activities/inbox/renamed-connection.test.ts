import { expect, it } from "vitest";

import { inboxFileIn } from "../../../src/inbox/file.ts";
import { canaries } from "../../support/canaries.ts";
import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { KeptEvents } from "../../support/webhooks/kept-events.ts";

/** A `sluice.yaml` whose only connection has this name. */
function yamlOf(name: string, domain = "site"): string {
  return `${harnessHead}connections:
  ${name}: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: ${name}
    stream: account
    record: { account_id: id, domain: ${domain}, account_properties: { name: name } }
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

it("replays the rejects of a connection that was renamed since", async () => {
  const domain = "{ column: site, as: domain }";
  const harness = await Harness.open({ yaml: yamlOf("forms", domain) });
  const renamed = await harness.withYaml(yamlOf("web", domain));
  const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
  for (const [name, project] of [
    ["forms", harness],
    ["web", renamed],
  ] as const) {
    events.keep(name, JSON.stringify({ id: name, site: "localhost", name: `of ${name}` }));
    const run = await TestRun.open(project, { runId: name, kind: "inbox" });
    expect((await run.transfer()).counts).toMatchObject({ read: 1, rejected: 1 });
  }
  const fixed = await harness.withYaml(yamlOf("web", '{ value: "c.example" }'));
  for (const run of ["forms", "web"]) {
    const replay = await TestRun.open(fixed, { runId: `of-${run}`, request: { replay: { run } } });
    expect((await replay.transfer()).counts).toMatchObject({ read: 1, sent: 1, rejected: 0 });
  }
  expect([...(await harness.sandbox.names()).values()]).toEqual(["of forms", "of web"]);
});
