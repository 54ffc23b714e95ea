import { describe, expect, it } from "vitest";

import { runWarningsMax } from "../../../src/limits.ts";
import { md5Of, openPullHarness, rowsOf } from "../../support/project/pull-project.ts";
import { knownDomains, openOverDomains } from "./over-domains.ts";

describe("pullPages over domains", () => {
  it("writes the postings of every domain, and changes nothing the second time", async () => {
    const harness = await openPullHarness({ websites: await knownDomains() });
    const first = await (await openOverDomains(harness)).finish();
    const { read } = first.counts;
    expect(read).toBeGreaterThan(100);
    expect(first).toMatchObject({
      outcome: "done",
      balanced: true,
      pull: { written: read, domains: { listed: 40, done: 40, refused: 0 }, repeated: 0 },
    });
    expect(await rowsOf(harness, "jobs.csv")).toHaveLength(read + 1);
    const before = await md5Of(harness, "jobs.csv");
    const second = await (await openOverDomains(harness, "run-2")).finish();
    expect(second.counts).toMatchObject({ read, unchanged: read });
    expect(await md5Of(harness, "jobs.csv")).toBe(before);
  });

  it("says once of however many domains that their totals are not so", async () => {
    const websites = (await knownDomains()).slice(0, runWarningsMax + 1);
    const harness = await openPullHarness({ websites, hiring: [`calls_max: ${websites.length}`] });
    for (const row of websites.keys()) {
      harness.sandbox.order("enrich", { falseTotal: row + 1 }, { after: row });
    }
    const report = await (await openOverDomains(harness)).finish();
    expect(report.warnings).toEqual([
      "more or fewer results came for some domains than the service had said",
    ]);
  });
});
