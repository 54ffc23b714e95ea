import { expect, it } from "vitest";

import { lookForDoubts } from "../../../src/cli/status/doubts.ts";
import { lateRequest } from "../../support/late-request.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import {
  companiesYaml,
  held,
  overMs,
  resend,
  transfer,
} from "../../support/project/doubt-story.ts";
import { Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** The service has since closed the account, and names the first record that it is sent. */
const closed = {
  status: 422,
  body: {
    detail: [{ loc: ["body", "data", 0, "account_id"], msg: "closed", type: "value_error" }],
  },
};

type Query = Awaited<ReturnType<typeof postgres>>["query"];

/** A sync of a table that stops at its first reject; its account a1 is in doubt and can be sent once more. */
async function inDoubt(): Promise<{ readonly harness: Harness; readonly query: Query }> {
  const { query, url } = await postgres();
  await query(`create table companies (id text primary key, domain text not null, name text, updated_at timestamptz
    not null);
    insert into companies values ('a1', 'a.example', 'OLD', now() - interval '9 days')`);
  const strict = "reject_limit: { rate: 0%, rows: 0 }\n    record:";
  const harness = await Harness.open({ yaml: companiesYaml(url).replace("record:", strict) });
  const run = await TestRun.open(harness);
  const late = await lateRequest(run, await run.stage());
  harness.terminated.add("first-run-1");
  await query("update companies set name = 'NEW', updated_at = now() - interval '8 days'");
  await transfer(harness, "run-2");
  await late.arrive();
  harness.clock.nowMs += overMs;
  return { harness, query };
}

const addAccount =
  "insert into companies values ('b1', 'b.example', 'B', now() - interval '7 days')";

async function lostOf({ deps }: Harness): Promise<unknown> {
  const sync = { target: deps.target, sync: "accounts", isPush: false, isUnderWay: false };
  const found = await lookForDoubts(deps.state, [sync], deps.clock());
  return found.map(({ lost, facts }) => ({ lost, inDoubt: facts.inDoubt }));
}

it("does not stop a run for a record in doubt that the service refuses by now, and says which it is", async () => {
  const { harness, query } = await inDoubt();
  await query(addAccount);
  harness.sandbox.order("upload-json", closed);
  const report = await transfer(harness, "run-3");
  expect(report).toMatchObject({ counts: { read: 2, sent: 1, rejected: 1 } });
  expect(report.warnings.join()).toContain("they could not be sent once more");
  expect(await held(harness, "b1")).toBe("B");
  expect(await lostOf(harness)).toEqual([{ lost: ["a1"], inDoubt: 0 }]);
  // Its staged line will not be sent any more.
  expect(await harness.state.keptStages({ runId: "run-2" })).toEqual([]);

  expect(await transfer(harness, "run-4")).toMatchObject({ counts: { read: 0 } });
  await query(
    "update companies set name = 'NEWEST', updated_at = now() - interval '6 days' where id = 'a1'",
  );
  await transfer(harness, "run-5");
  expect(await held(harness, "a1")).toBe("NEWEST");
  expect(await lostOf(harness)).toEqual([]);
});

it("keeps no reject open of it, because no source has its line", async () => {
  const { harness } = await inDoubt();
  const { state, target } = harness.deps;
  harness.sandbox.order("upload-json", closed);
  const report = await resend(harness, "run-3");
  expect(report).toMatchObject({ reject_reasons: [{ code: "refused_again", count: 1 }] });
  expect(await state.rejectsWhere({ isOpen: true, target, limit: 10 })).toEqual([]);
  expect(await state.replayCounts({ run: "run-3" })).toMatchObject({ open: 0 });
});

it("still stops a run for its own records", async () => {
  const { harness, query } = await inDoubt();
  await resend(harness, "run-3");
  await query(addAccount);
  harness.sandbox.order("upload-json", closed);
  await expect(transfer(harness, "run-4")).rejects.toThrow("reject_limit");
});
