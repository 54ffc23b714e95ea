import { describe, expect, it } from "vitest";
import { z } from "zod";

import { registerPlan } from "../../../../src/cli/plan/plan.ts";
import type { PullPlan } from "../../../../src/cli/plan/pull-plan.ts";
import { RetryLater } from "../../../../src/errors.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { openPullHarness, pullYaml } from "../../../support/project/pull-project.ts";
import { PullRun } from "../../../support/project/pull-run.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";

const anyPlan = z.custom<PullPlan>((value) => typeof value === "object" && value !== null);

const awayDisk = async (): Promise<never> =>
  await Promise.reject(new RetryLater("the disk is away"));

async function plan(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerPlan, harness, ["plan", ...args]);
}

async function planned(harness: Harness, pull = "scores"): Promise<PullPlan> {
  const { out } = await plan(harness, pull, "--json");
  return anyPlan.parse(JSON.parse(out.join("")));
}

let runs = 0;

/** Runs a pull to its end, or this many pages of it. Returns its calls. */
async function pulled(harness: Harness, pull = "scores", pages = Infinity): Promise<number> {
  const reads = pull === "hiring" ? "domains" : "search";
  const run = await PullRun.open(harness, { pull, reads, runId: `run-${(runs += 1)}` });
  if (reads === "domains") await run.listDomains();
  const report = pages === Infinity ? await run.finish() : undefined;
  if (report !== undefined) return report.pull?.calls ?? 0;
  await run.pull(pages);
  return (await run.close({ outcome: "cancelled" })).pull?.calls ?? 0;
}

/** Lets a pull pay for its first page, which cannot be written. */
async function paidFor(harness: Harness): Promise<void> {
  const csv = harness.deps.sources.get("csv");
  if (csv === undefined) throw new Error("there is no CSV connector");
  const broken = harness.activitiesWith({
    sources: new Map([["csv", { ...csv, write: awayDisk }]]),
  });
  const run = await PullRun.open(harness, { runId: `run-${(runs += 1)}` });
  await expect(run.pull(1, broken)).rejects.toThrow("the disk is away");
  await run.close({ outcome: "cancelled" });
}

describe("sluice plan of a pull", () => {
  it("says how many calls the next run makes, and makes none", async () => {
    const harness = await openPullHarness();
    expect(await planned(harness)).toMatchObject({
      pull: "scores",
      of: "accounts",
      round: "first",
      calls: { at_least: 1, expected: null, at_most: 10_000 },
      seconds: null,
    });
    expect(await harness.sandbox.ledger("search")).toEqual([]);
    await pulled(harness);
    const next = await planned(harness);
    expect(next).toMatchObject({ round: "new", seconds: 1 });
    expect(await pulled(harness)).toBe(next.calls.expected);
  });

  it("goes on where a run stopped, and counts no page that is paid for", async () => {
    const harness = await openPullHarness();
    await pulled(harness, "scores", 1);
    const rest = await planned(harness);
    expect(rest).toMatchObject({ round: "continued", calls: { at_least: 1, expected: 3 } });
    expect(await pulled(harness)).toBe(3);
    await paidFor(harness);
    expect(await planned(harness)).toMatchObject({ round: "continued", calls: { expected: 3 } });
    expect(await pulled(harness)).toBe(3);
  });

  it("does not take pages for small because a `--limit` cut one short", async () => {
    const harness = await openPullHarness();
    const request = { limit: 3 };
    await (await PullRun.open(harness, { runId: `run-${(runs += 1)}`, request })).finish();
    expect(await planned(harness)).toMatchObject({ round: "continued", calls: { expected: 4 } });
    expect(await pulled(harness)).toBe(4);
  });

  it("knows of larger pages, of fewer calls, and nothing of another query", async () => {
    let harness = await openPullHarness();
    await pulled(harness);
    const pages = pullYaml().replace("page_size: 10", "page_size: 25");
    harness = await harness.withYaml(pages);
    const { calls } = await planned(harness);
    expect(calls).toMatchObject({ expected: 2 });
    harness = await harness.withYaml(pullYaml({ scores: ["calls_max: 3"] }));
    expect(await planned(harness)).toMatchObject({ calls: { expected: 3, at_most: 3 } });
    harness = await harness.withYaml(pages);
    expect(await pulled(harness)).toBe(calls.expected);
    harness = await harness.withYaml(pullYaml({ accounts: "{ search: soft }" }));
    expect(await planned(harness)).toMatchObject({ round: "new", calls: { expected: null } });
  });

  it("asks for each domain by itself: those of the source, or those that a round has before it", async () => {
    const websites = [
      "a.example",
      "https://www.A.example/jobs",
      "",
      "localhost",
      "b.example",
      "c.example",
    ];
    const harness = await openPullHarness({
      websites,
      hiring: ["reject_limit: { rate: 50%, rows: 5 }"],
    });
    expect(await planned(harness, "hiring")).toMatchObject({
      round: "first",
      domains: 3,
      calls: { at_least: 3, expected: null },
    });
    expect(await pulled(harness, "hiring", 1)).toBe(1);
    expect(await planned(harness, "hiring")).toMatchObject({ round: "continued", domains: 2 });
    expect(await pulled(harness, "hiring")).toBe(2);
    const again = await planned(harness, "hiring");
    expect(again).toMatchObject({ round: "new", domains: 3 });
    expect(await pulled(harness, "hiring")).toBe(again.calls.expected);
    await harness.write("companies.csv", "id,website\n");
    expect(await plan(harness, "hiring")).toMatchObject({
      out: [
        "hiring pulls job postings: it begins a new round",
        "no call: there is nothing to ask for",
        expect.anything() as unknown,
      ],
      code: 0,
    });
  });

  it("counts domains that are inside rows of JSON, as a run lists them", async () => {
    const inLines = pullYaml()
      .replace("syncs:", "  lines: { connector: jsonl, path: companies.jsonl }\nsyncs:")
      .replace("connection: exports, column: website", "connection: lines, column: of.site");
    const harness = await (await openPullHarness()).withYaml(inLines);
    await harness.write("companies.jsonl", '{"of":{"site":"a.example"}}\n{"of":{}}\n');
    const next = await planned(harness, "hiring");
    expect(next).toMatchObject({ domains: 1, calls: { at_least: 1 } });
    expect(await plan(harness, "hiring")).toMatchObject({ code: 5 });
    expect(await pulled(harness, "hiring")).toBe(next.calls.at_least);
  });

  it("tells a person, and a script by its exit code", async () => {
    const harness = await openPullHarness({ scores: ["passes_max: 2"] });
    expect(await plan(harness, "scores")).toMatchObject({
      code: 5,
      out: [
        "scores pulls accounts: it never ran",
        "1 call at least, each of which costs credits, and 10,000 at most (calls_max); no round says how many yet",
        "  as many again for each further pass, 2 passes at most (passes_max), while results are missing",
      ],
    });
    await pulled(harness);
    expect((await plan(harness, "scores")).out[1]).toBe(
      "about 4 calls, each of which costs credits, and 10,000 at most (calls_max); 1 s at the rate limit",
    );
    await expect(plan(harness, "scores", "--sample", "3")).rejects.toThrow(
      "--sample reads rows of a sync, and scores is a pull",
    );
  });

  it("is in the plan of a sync that reads what it writes", async () => {
    const harness = await openPullHarness();
    await pulled(harness);
    const sync = `syncs:
  accounts:
    from: { connection: exports, path: scores.csv }
    stream: account
    allow_feedback_loop: true
    record: { account_id: mk_id, domain: { value: a.example }, account_properties: { name: name } }
`;
    await harness.withYaml(pullYaml().replace("syncs: {}\n", sync));
    expect((await plan(harness, "accounts")).out.at(-1)).toBe(
      "pull scores, which writes into what it reads, makes about 4 calls, each of which costs credits, and 10,000 " +
        "at most (calls_max); 1 s at the rate limit",
    );
    const { out } = await plan(harness, "accounts", "--json");
    const { pulls } = z.object({ pulls: z.array(anyPlan) }).parse(JSON.parse(out.join("")));
    expect(pulls).toMatchObject([{ pull: "scores", calls: { expected: 4 } }]);
  });
});
