import { utimes } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { domainRefusalsMax } from "../../../activities/limits.ts";
import type { Source } from "../../../connectors/contract/connector.ts";
import { faultTimesMax } from "../../../src/api/limits.ts";
import { failureOf } from "../../support/project/harness.ts";
import { openPullHarness, pullYaml } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";
import { numbers } from "../../support/sequences.ts";
import { knownDomains, openOverDomains, overDomains } from "./over-domains.ts";

/** `pullYaml` with its domains in a file of JSON lines. */
function inLines(column: string): string {
  return pullYaml()
    .replace("syncs:", "  lines: { connector: jsonl, path: companies.jsonl }\nsyncs:")
    .replace("connection: exports, column: website", `connection: lines, column: ${column}`);
}

describe("listDomains", () => {
  it("lists each domain once, in the order in which it first comes", async () => {
    const websites = [
      "https://www.B.example/jobs",
      "",
      "a.example",
      "sales@b.example",
      "http://A.example",
    ];
    const harness = await openPullHarness({ websites });
    const run = await openOverDomains(harness);
    const report = await run.finish();
    expect(report.pull).toMatchObject({ domains: { listed: 2, done: 2, refused: 0 }, calls: 2 });
    expect(report).toMatchObject({ outcome: "done", counts: { read: 0, rejected: 0 } });
  });

  it("rejects a value that is not a domain, with its place", async () => {
    const harness = await openPullHarness({ websites: ["localhost", "a.example", "127.0.0.1"] });
    const run = await openOverDomains(harness);
    const report = await run.finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 2, rejected: 2 },
    });
    expect(await run.rejects()).toMatchObject([
      { place: "companies.csv:2", code: "not_domain", field: "website", row: '"localhost"' },
      { place: "companies.csv:4", code: "not_domain" },
    ]);
  });

  it("stops when more rows hold no domain than the limit allows", async () => {
    const harness = await openPullHarness({
      websites: ["nonsense", "a.example"],
      hiring: ["reject_limit: { rate: 5%, rows: 0 }"],
    });
    const run = await PullRun.open(harness, overDomains);
    const failure = await failureOf(run.listDomains());
    expect(failure.type).toBe("TooManyRejects");
    expect(failure.message).toContain("1 of 2 rows");
    const report = await run.close({ outcome: "failed" });
    expect(report).toMatchObject({ balanced: true, counts: { read: 1, rejected: 1 } });
  });

  it("lists once a round: a second attempt changes nothing, the next round reads anew", async () => {
    const websites = ["a.example", "nonsense"];
    const harness = await openPullHarness({ websites });
    const run = await openOverDomains(harness);
    await harness.write("companies.csv", "id,website\n1,c.example\n2,d.example\n");
    await run.listDomains();
    const report = await run.finish();
    expect(report.pull).toMatchObject({ domains: { listed: 1, done: 1 } });
    expect(report.counts).toMatchObject({ read: 1, rejected: 1 });
    const next = await (await openOverDomains(harness, "run-2")).finish();
    expect(next.pull).toMatchObject({ domains: { listed: 2, done: 2 } });
  });

  it("begins a list anew that an attempt left unfinished", async () => {
    const harness = await openPullHarness({ websites: ["nonsense", "a.example"] });
    const run = await PullRun.open(harness, overDomains);
    const { target } = harness.deps;
    const name = { target, pull: "hiring", runId: run.opened.runId };
    const version = await harness.state.beginListing(name);
    const stretch = {
      ...name,
      version,
      rejects: [],
      isLast: false,
      at: "2026-01-01T00:00:00.000Z",
    };
    await harness.state.addDomains({ ...stretch, domains: ["gone.example"] });
    await run.listDomains();
    await expect(
      harness.state.addDomains({ ...stretch, domains: ["late.example"] }),
    ).rejects.toThrow("another attempt");
    const report = await run.finish();
    expect(report.pull).toMatchObject({ domains: { listed: 1, done: 1 } });
    expect(report.counts).toMatchObject({ read: 1, rejected: 1 });
  });

  it("is done at once when there is no domain", async () => {
    const harness = await openPullHarness({ websites: [] });
    const report = await (await openOverDomains(harness)).finish();
    expect(report).toMatchObject({
      outcome: "done",
      counts: { read: 0 },
      pull: { finished: true },
    });
    expect(await harness.sandbox.ledger("enrich")).toEqual([]);
  });

  it("takes a way into rows of JSON, and warns of one that leads nowhere in any row", async () => {
    const harness = await openPullHarness();
    await harness.write("companies.jsonl", '{"of":{"site":"a.example"}}\n{"of":{}}\n');
    const reportOf = async (column: string, runId: string): ReturnType<PullRun["finish"]> =>
      await (await openOverDomains(await harness.withYaml(inLines(column)), runId)).finish();
    const found = await reportOf("of.site", "run-1");
    expect(found).toMatchObject({ warnings: [], pull: { domains: { listed: 1 }, calls: 1 } });
    expect(await reportOf("of.sight", "run-2")).toMatchObject({
      outcome: "done",
      warnings: ['connection lines: no row has anything in "of.sight", so no domain is asked for'],
    });
  });

  it("reads a file again that changes while it is read, but not for ever", async () => {
    const rows = numbers(100_000).map(() => "");
    const harness = await openPullHarness({ websites: ["a.example", ...rows] });
    const run = await PullRun.open(harness, overDomains);
    const csv = harness.deps.sources.get("csv");
    if (csv === undefined) throw new Error("there is no CSV connector");
    const edited: Source = {
      ...csv,
      read: async function* (request) {
        for await (const page of csv.read(request)) {
          await utimes(join(harness.folder, "companies.csv"), 1, harness.clock.nowMs++ / 1_000);
          yield page;
        }
      },
    };
    const { listDomains } = harness.activitiesWith({ sources: new Map([["csv", edited]]) });
    for (let time = 1; time <= faultTimesMax; time++) {
      const failure = await failureOf(harness.perform(listDomains, run.opened));
      expect(failure.message).toBe("companies.csv changed while it was read");
      const isLast = time === faultTimesMax;
      const type = isLast ? "SourceChanged" : "Unavailable";
      expect(failure).toMatchObject({ type, nonRetryable: isLast });
    }
    await run.listDomains();
    expect((await run.finish()).pull).toMatchObject({ domains: { listed: 1, done: 1 } });
  });

  it("names a column that is not there", async () => {
    const harness = await openPullHarness({ websites: ["a.example"] });
    await harness.write("companies.csv", "id,url\n1,a.example\n");
    const run = await PullRun.open(harness, overDomains);
    const failure = await failureOf(run.listDomains());
    expect(failure.type).toBe("ConfigError");
    expect(failure.message).toContain('column "website"');
  });
});

describe("pullPages over domains", () => {
  it("continues after a domain that the service does not know, or refuses", async () => {
    const websites = ["a.example", "b.example", "c.example", "d.example"];
    const harness = await openPullHarness({ websites });
    harness.sandbox.order("enrich", { status: 404 });
    harness.sandbox.order("enrich", { status: 422 });
    harness.sandbox.order("enrich", { status: 400 });
    const run = await openOverDomains(harness);
    const report = await run.finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 3, rejected: 3 },
      pull: { calls: 4, domains: { listed: 4, done: 1, refused: 3 }, finished: true },
    });
    expect(await run.rejects()).toMatchObject([
      { place: "a.example", code: "unknown_domain" },
      { place: "b.example", code: "refused_domain" },
      { place: "c.example", code: "refused_domain" },
    ]);
    // No customer data goes into Temporal, but the report does.
    expect(JSON.stringify(report)).not.toContain(".example");
  });

  it("calls a domain whose further page is refused neither unknown nor refused", async () => {
    const websites = (await knownDomains()).slice(2, 4);
    const harness = await openPullHarness({ websites, hiring: ["page_size: 1"] });
    harness.sandbox.order("enrich", { status: 404 }, { after: 1 });
    const run = await openOverDomains(harness);
    const report = await run.finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { rejected: 1 },
      pull: { domains: { listed: 2, done: 2, refused: 0 }, finished: true },
    });
    expect(await run.rejects()).toMatchObject([{ place: websites[0], code: "refused_page" }]);
  });

  it("holds neither refused domains nor rows without one against the limit of refused results", async () => {
    const [known = ""] = await knownDomains();
    const websites = [known, "a.example", "b.example", ...numbers(40).map(() => "")];
    const harness = await openPullHarness({
      websites: [...websites, "nonsense"],
      hiring: ["reject_limit: { rate: 5%, rows: 0 }"],
    });
    harness.sandbox.order("enrich", { status: 404 }, { after: 1, times: 2 });
    const report = await (await openOverDomains(harness)).finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      counts: { rejected: 3 },
      pull: { domains: { listed: 3, done: 1, refused: 2 }, finished: true },
    });
  });

  it.each([domainRefusalsMax - 1, domainRefusalsMax])(
    "takes %i refusals and nothing else for lines in the report",
    async (refusals) => {
      const websites = numbers(refusals).map((row) => `c${row}.example`);
      const harness = await openPullHarness({ websites });
      harness.sandbox.order("enrich", { status: 404 }, { times: refusals });
      const report = await (await openOverDomains(harness)).finish();
      expect(report.pull).toMatchObject({ domains: { refused: refusals } });
    },
  );

  it("takes one more for a query that is refused, and stops", async () => {
    const websites = numbers(domainRefusalsMax + 1).map((row) => `c${row}.example`);
    const harness = await openPullHarness({ websites });
    harness.sandbox.order("enrich", { status: 404 }, { times: websites.length });
    const run = await openOverDomains(harness);
    await run.pull(domainRefusalsMax);
    expect((await failureOf(run.pull())).type).toBe("ContractBroken");
  });

  it("does not take a 404 of a search for a line in the report", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", { status: 404 });
    const run = await PullRun.open(harness);
    expect((await failureOf(run.pull())).type).toBe("ContractBroken");
  });

  it("continues with the domains that a cancelled run left", async () => {
    const websites = numbers(6).map((row) => `c${row}.example`);
    const harness = await openPullHarness({ websites });
    const run = await openOverDomains(harness);
    await run.pull(2);
    await run.close({ outcome: "cancelled" });
    const report = await (await openOverDomains(harness, "run-2")).finish();
    expect(report.pull).toMatchObject({ calls: 4, continued: true, domains: { done: 4 } });
    expect(await harness.sandbox.ledger("enrich")).toHaveLength(6);
  });

  it("does not start over for another ceiling", async () => {
    const websites = ["a.example", "b.example"];
    const harness = await openPullHarness({ websites, hiring: ["calls_max: 1"] });
    await (await openOverDomains(harness)).finish();
    const raised = await harness.withYaml(pullYaml({ hiring: ["calls_max: 2"] }));
    const second = await (await openOverDomains(raised, "run-2")).finish();
    expect(second.pull).toMatchObject({ calls: 1, continued: true, finished: true });
  });
});
