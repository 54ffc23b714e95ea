import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { end } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const timeoutMs = 180_000;

const entry = z.object({
  place: z.string(),
  state: z.string(),
  replayed_by: z.string().nullable(),
});

/** Each line of JSON. */
function parsed(stdout: string): unknown[] {
  return stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

describe("sluice rejects replay", () => {
  it(
    "sends what was rejected once the mapping is fixed, as a run like any other",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": `${accountsCsv(3)}a3,X,Spelt out,1\n,c4.example,No key,1\n`,
      });
      const sluice = project.sluice.bind(project);
      const worker = await project.worker();
      expect((await sluice("run", "accounts")).code).toBe(3);
      await end(worker, "SIGTERM");

      const fixed = accountsConfig().replace(
        "domain: { column: domain, as: domain }",
        "domain: name",
      );
      await project.write("sluice.yaml", fixed);
      await project.worker();
      const replayed = await sluice("rejects", "replay", "--json");
      expect(replayed.code).toBe(3);
      const [report] = parsed(replayed.stdout);
      expect(report).toMatchObject({
        outcome: "done_with_rejects",
        balanced: true,
        counts: { read: 2, sent: 1, rejected: 1 },
        checkpoint: { before: 1, after: 1 },
      });
      expect((await project.records()).get("a3")).toContain('"domain":"Spelt out"');

      const { stdout } = await sluice("runs", "list", "--json");
      const [last, first] = parsed(stdout).map((one) =>
        z.object({ run_id: z.string() }).parse(one),
      );
      const { run_id: replay = "" } = last ?? {};
      const { run_id: run = "" } = first ?? {};
      const exported = await sluice("rejects", "export", "--run", run, "--format", "jsonl");
      expect(parsed(exported.stdout).map((one) => entry.parse(one))).toEqual([
        { place: "./accounts.csv:5", state: "replayed", replayed_by: replay },
        { place: "./accounts.csv:6", state: "replayed", replayed_by: replay },
      ]);
      expect((await sluice("rejects", "list", "--run", run)).stdout).toContain(
        `[replayed by ${replay}]`,
      );
      const again = await sluice("rejects", "replay", "--run", run);
      expect([again.code, again.stderr]).toEqual([
        0,
        `sluice: run ${run} has no rejects to replay: 2 were replayed\n`,
      ]);

      await project.write("accounts.csv", accountsCsv(3));
      const changed = await sluice("rejects", "replay", "--code", "required");
      expect(changed.code).toBe(2);
      expect(changed.stdout).toContain(
        "the rejects cannot be replayed: ./accounts.csv is not the file",
      );
    },
    timeoutMs,
  );
});
