import { describe, expect, it } from "vitest";

import { accountsCsv, syncsConfig } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const shared = sharedProject({
  "sluice.yaml": syncsConfig({ bad: "", broken: "", good: "" }),
  "bad.csv": `${accountsCsv(3)}a3,no domain,X,1\n`,
  "broken.csv": "id,website\na,b.example\n",
  "good.csv": accountsCsv(3),
});

describe("`sluice run`", () => {
  it("does several, one after the other, and ends with the worst of their exit codes", async () => {
    const project = shared();
    const some = await project.sluice("run", "bad", "good", "--json");
    const reports = some.stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(reports).toMatchObject([
      { sync: "bad", outcome: "done_with_rejects" },
      { sync: "good", outcome: "done" },
    ]);
    expect(some.code).toBe(3);

    const all = await project.sluice("run", "--all", "--quiet");
    expect(all.code).toBe(2);
    expect(all.stderr).toMatch(/^sluice: .*"domain".*\n {2}→ .*\n$/);
    expect(all.stdout).toMatch(/bad: done .*good: done /s);
  });

  it("lists the syncs where none is named, or a wrong one", async () => {
    const project = shared();
    const none = await project.sluice("run");
    expect([none.code, none.stderr]).toEqual([
      2,
      "sluice: say which syncs, or --all\n  → the syncs are: bad, broken, good\n",
    ]);
    const wrong = await project.sluice("run", "good", "bda");
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toMatch(/no sync "bda" .*did you mean "bad".*\n.*bad, broken, good/);
  });
});
