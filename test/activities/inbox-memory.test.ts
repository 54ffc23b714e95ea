import { expect, it } from "vitest";

import { inboxFileIn } from "../../src/inbox/file.ts";
import { canaries } from "../support/canaries.ts";
import { Harness, harnessHead } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";
import { KeptEvents } from "../support/webhooks/kept-events.ts";

const yaml = `${harnessHead}connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: forms
    stream: account
    record: { account_id: id, domain: { column: site, as: domain }, account_properties: { name: id } }
`;

it("reads events of many values in the memory of a thread", { timeout: 60_000 }, async () => {
  const harness = await Harness.open({ yaml, hasThreads: true });
  const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
  const values = Array.from({ length: 240_000 }, () => "{}").join();
  const large = `{"id":"a1","site":"a.example","values":[${values}]}`;
  for (let n = 0; n < 16; n += 1) events.keep("forms", large);
  const { counts } = await (await TestRun.open(harness)).transfer();
  expect(counts).toMatchObject({ read: 16, sent: 16 });
});
