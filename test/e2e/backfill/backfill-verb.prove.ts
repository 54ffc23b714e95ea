import { expect, it } from "vitest";

import { backfillId } from "../../support/project/backfills.ts";
import { accountsConfig, accountsCsv } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const shared = sharedProject({
  "sluice.yaml": accountsConfig({
    sync: "chunk: { records: 4000 }\n    approve: { auto_up_to: 100 }",
  }),
  "accounts.csv": accountsCsv(12_000),
});

it("`sluice backfill` shows the plan, needs --yes without a terminal, and sends", async () => {
  const project = shared();
  const command = ["backfill", "accounts", "--lanes", "2", "--send", "all"];
  const unasked = await project.sluice(...command);
  expect(unasked.code).toBe(2);
  expect(unasked.stdout).toMatch(/^rows to read +about 1\d,\d{3}, estimated$/m);
  expect(unasked.stdout).toMatch(/^1 +about \d,\d{3}, estimated$/m);
  expect(unasked.stderr).toContain("needs --yes");
  const [asked] = await project.state.runs({ limit: 1 });
  expect(asked).toMatchObject({ workflowId: backfillId, outcome: "discarded" });

  const sent = await project.sluice(...command, "--yes", "--reason", "their CRM was wrong");
  expect(sent.code).toBe(0);
  expect(sent.stdout).toMatch(/^ {2}note {8}their CRM was wrong$/m);
  expect(sent.stdout).toMatch(/^lanes +2$/m);
  expect(sent.stdout).toContain("read 12,000 = sent 12,000");
});
