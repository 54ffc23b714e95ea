import { describe, expect, it } from "vitest";

import { inboxFileIn } from "../../../src/inbox/file.ts";
import { lateRequest } from "../../support/late-request.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import {
  companiesYaml,
  formsYaml,
  held,
  overMs,
  resend,
  transfer,
} from "../../support/project/doubt-story.ts";
import { Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { someOf } from "../../support/trials.ts";
import { KeptEvents } from "../../support/webhooks/kept-events.ts";

/** How a record in doubt is sent once more. */
const ways = ["resend", "next run"] as const;

type Way = (typeof ways)[number];

async function sendAgain(harness: Harness, way: Way, kind?: "inbox"): Promise<void> {
  if (way === "resend") await resend(harness, "run-4");
  else await transfer(harness, "run-4", kind);
}

function tableYaml(url: string): string {
  return companiesYaml(url).replace("record:", "chunk: { records: 1000 }\n    record:");
}

/**
 * Account z of a table is in doubt, and can be sent once more; `more` accounts come before it. The mapping is then
 * edited.
 */
async function inDoubt(more: number): Promise<Harness> {
  const { query, url } = await postgres();
  await query(`create table companies (id text primary key, domain text not null, name text, title text, updated_at
    timestamptz not null);
    insert into companies values ('z', 'z.example', 'OLD', 'TITLE OF OLD', now() - interval '2 days')`);
  const first = await TestRun.open(await Harness.open({ yaml: tableYaml(url) }));
  const { harness } = first;
  const late = await lateRequest(first, await first.stage());
  harness.terminated.add("first-run-1");
  await query(`update companies set name = 'NEW', title = 'TITLE OF NEW', updated_at = now() - interval '1 day';
    insert into companies select 'p' || n, 'p' || n || '.example', 'P', 'T', now() - interval '3 days' from
    generate_series(1, ${more}) n`);
  await transfer(harness, "run-2");
  await late.arrive();
  harness.clock.nowMs += overMs;
  return await harness.withYaml(tableYaml(url).replace("name: name", "name: title"));
}

describe.each(someOf(ways, 2))("a record that a %s sends once more", (way) => {
  it("is not a newer by it: a reject that came after it is replayed", async () => {
    const first = await Harness.open({ yaml: formsYaml("site") });
    const events = new KeptEvents(inboxFileIn(first.deps.config.stateFolder));
    const keep = (event: object): void => {
      events.keep("forms", JSON.stringify({ id: "a1", ...event }));
    };
    keep({ site: "a.example", name: "OLD" });
    const run = await TestRun.open(first, { kind: "inbox" });
    const late = await lateRequest(run, await run.stage());
    first.terminated.add("first-run-1");
    keep({ site: "a.example", name: "NEW" });
    await transfer(first, "run-2", "inbox");
    keep({ host: "a.example", name: "NEWEST" });
    expect(await transfer(first, "run-3", "inbox")).toMatchObject({ counts: { rejected: 1 } });
    await late.arrive();
    first.clock.nowMs += overMs;
    await sendAgain(first, way, "inbox");
    expect(await held(first, "a1")).toBe("NEW");

    const harness = await first.withYaml(formsYaml("host"));
    const request = { replay: { run: "run-3" } };
    const replay = await TestRun.open(harness, { runId: "run-5", request });
    expect(await replay.transfer("body")).toMatchObject({ counts: { sent: 1, filtered: 0 } });
    expect(await held(harness, "a1")).toBe("NEWEST");
  });

  it("is sent by the new mapping, too, where a backfill had begun before", async () => {
    const harness = await inDoubt(1_000);
    const { activities } = harness;
    const begun = await TestRun.backfill(harness);
    const chunk = await begun.stage();
    await begun.send(chunk);
    await begun.commit(chunk);
    // Records in doubt wait for the lock, which a backfill lends after each chunk.
    await harness.perform(activities.yieldBackfill, begun.opened);
    await sendAgain(harness, way);
    expect(await held(harness, "z")).toBe("NEW");
    const rest = await TestRun.backfill(harness, { isBegun: true });
    const last = await rest.stage(2);
    expect(last).toMatchObject({ records: 1, done: true });
    await rest.send(last);
    await rest.commit(last);
    await rest.close();
    expect(await held(harness, "z")).toBe("TITLE OF NEW");
  });

  it("counts as made by the mapping that made it", async () => {
    const harness = await inDoubt(0);
    await sendAgain(harness, way);
    expect(await held(harness, "z")).toBe("NEW");
    const { warnings } = await transfer(harness, "run-5");
    expect(warnings.join()).toContain("1 record was sent by the old one");
  });
});
