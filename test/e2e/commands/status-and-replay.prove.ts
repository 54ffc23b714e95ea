import { describe, expect, it } from "vitest";

import { end } from "../../support/process/process.ts";
import { accountsCsv, syncsConfig } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const config = syncsConfig({ watched: "", fixed: "" });

const shared = sharedProject({
  "sluice.yaml": config,
  "watched.csv": accountsCsv(3),
  "fixed.csv": `${accountsCsv(3)}a3,=cmd|calc,X,1\n`,
});

describe("the commands around a run", () => {
  it("say before the first run, after a good and after a bad one how things stand", async () => {
    const project = shared();
    const lineOfStatus = async (): Promise<string | undefined> =>
      /^watched .*$/m.exec((await project.sluice("status")).stdout)?.[0];
    expect(await lineOfStatus()).toMatch(/^watched +never +- +- +-/);
    await (await project.start({ sync: "watched" }, "good")).result();
    expect(await lineOfStatus()).toMatch(
      /^watched +\d{4}-\d\d-\d\d \d\d:\d\d UTC +done +read 3, sent 3/,
    );
    await project.write("watched.csv", "id,website\na,b.example\n");
    await (await project.start({ sync: "watched" }, "bad")).result().catch(() => undefined);
    expect(await lineOfStatus()).toMatch(/ UTC +failed +.*"domain".* → /);
  });

  it("send what was rejected once the mapping is fixed, as a run like any other", async () => {
    const project = shared();
    const { run_id: run } = await (await project.start({ sync: "fixed" }, "before")).result();
    for (const worker of project.workers) await end(worker, "SIGTERM");
    const domain = "domain: { column: domain, as: domain }";
    await project.write("sluice.yaml", config.replaceAll(domain, "domain: name"));
    await project.worker();

    const replay = ["rejects", "replay", "--run", run];
    const replayed = await project.sluice(...replay, "--json");
    expect(replayed.code).toBe(0);
    expect(JSON.parse(replayed.stdout)).toMatchObject({
      outcome: "done",
      balanced: true,
      counts: { read: 1, sent: 1 },
      checkpoint: { before: 1, after: 1 },
    });
    expect((await project.records()).get("fixed-a3")).toContain('"domain":"X"');
    const again = await project.sluice(...replay);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("has no rejects to replay");
  });
});
