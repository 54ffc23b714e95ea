import { expect, it } from "vitest";

import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { csvWithBroken, TestRun } from "../../support/project/test-run.ts";

it("a reject is stamped by the store's clock, whatever this host's says", async () => {
  const files = { "accounts.csv": csvWithBroken(3, [1]) };
  const harness = await Harness.open({ yaml: accountsYaml("reject_limit: { rate: 50% }"), files });
  const at = "2001-01-01T00:00:00.000Z";
  const { state } = harness;
  const away = harness.withState({ ...state, storeTime: async () => Date.parse(at) });
  const run = await TestRun.open(away);
  await run.stage();
  const rejects = await state.rejects({ runId: run.opened.runId, limit: 5 });
  expect(rejects.map(({ createdAt }) => createdAt)).toEqual([at]);
});
