import { stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { accountsCsv, syncsConfig } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const shared = sharedProject({
  "sluice.yaml": syncsConfig({ kept: "" }),
  "kept.csv": `${accountsCsv(3)}a3,=cmd|calc,X,1\n`,
});

describe("the commands around a run", () => {
  it("show, export, move and prune what runs left", async () => {
    const project = shared();
    const sluice = project.sluice.bind(project);
    expect((await sluice("run", "kept")).code).toBe(3);

    const out = join(project.folder, "rejects.csv");
    expect((await sluice("rejects", "export", "--out", out)).code).toBe(0);
    expect(await project.read("rejects.csv")).toContain("not_domain");
    expect((await stat(out)).mode & 0o777).toBe(0o600);

    expect((await sluice("state", "reset", "kept", "--reason", "again")).code).toBe(0);
    expect((await sluice("state", "show", "kept")).stdout).toContain("was set by hand");
    expect((await sluice("run", "kept")).stdout).toContain("= sent 3 + unchanged 0");

    expect((await sluice("runs", "list")).stdout.trim().split("\n")).toHaveLength(3);
    const pruned = await sluice("runs", "prune", "--older-than", "1ms", "--json");
    // The newest success stays: the next run is compared with it.
    expect(pruned.stdout).toBe('{"removed":1}\n');
    // Records that were sent are known all the same.
    expect((await (await project.start({ sync: "kept" })).result()).counts.unchanged).toBe(3);
  });
});
