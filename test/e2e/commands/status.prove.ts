import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";
import { refusing } from "../../support/raw-server.ts";

const timeoutMs = 240_000;
const schedule = 'schedule: { at: "02:30", time_zone: Europe/Paris }';

const statusJson = z.object({
  transfers: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      last_run: z.looseObject({ run_id: z.string(), outcome: z.string() }).nullable(),
      next_run: z.string().nullable(),
      time_zone: z.string().nullable(),
      waiting: z.string().nullable(),
      problem: z.string().nullable(),
      hint: z.string().nullable(),
    }),
  ),
  rate_limits: z.array(z.looseObject({ until: z.string().nullable() })),
  workers: z.int(),
});

/** The only sync of a project, as `status --json` shows it, and all its other output. */
async function statusOf(
  project: Project,
  env: NodeJS.ProcessEnv = {},
): Promise<z.output<typeof statusJson>> {
  const { code, stdout } = await project.sluiceWith(env, "status", "--json");
  expect(code).toBe(0);
  return statusJson.parse(JSON.parse(stdout));
}

/** Repeats the check: facts that Temporal does not return within 2 s are left out, and on a busy machine it may not. */
async function soon(look: () => Promise<void>): Promise<void> {
  await vi.waitFor(look, { timeout: 60_000, interval: 500 });
}

describe("sluice status", () => {
  it(
    "says before the first run, after a good and after a bad one how things stand",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig({ sync: schedule }),
        "accounts.csv": accountsCsv(3),
      });
      await soon(async () => {
        const { code, stderr, stdout } = await project.sluice("status");
        expect([code, stderr]).toEqual([0, ""]);
        const [heading, line, worker] = stdout.split("\n");
        expect(heading).toMatch(
          /^name +last run +outcome +rows +next run +what is wrong → what to do$/,
        );
        expect(line).toMatch(
          /^accounts +never +- +- +- +Temporal has no schedule for it → `sluice schedule apply`$/,
        );
        expect(worker).toBe(
          "no worker runs, so nothing moves → `sluice worker`, or `sluice dev` on a laptop",
        );
      });
      expect((await project.sluice("schedule", "apply", "--yes")).code).toBe(0);
      await soon(async () => {
        const [, line] = (await project.sluice("status")).stdout.split("\n");
        expect(line).toMatch(
          /^accounts +never +- +- +\d{4}-\d\d-\d\d 02:30 \+0[12]:00 Europe\/Paris$/,
        );
      });

      await project.worker();
      await (await project.start({ sync: "accounts" })).result();
      await soon(async () => {
        const done = (await project.sluice("status")).stdout.trim().split("\n");
        expect(done).toHaveLength(2);
        expect(done[1]).toMatch(
          /^accounts +\d{4}-\d\d-\d\d \d\d:\d\d UTC +done +read 3, sent 3 +\d{4}/,
        );
      });

      const message = "no such key";
      project.sandbox.order({ step: "upload-json", do: { status: 401, body: { message } } });
      await project.write("accounts.csv", accountsCsv(4));
      await (await project.start({ sync: "accounts" }, "refused")).result().catch(() => undefined);
      const { transfers, rate_limits: limits } = await statusOf(project);
      expect(transfers).toMatchObject([{ name: "accounts", kind: "sync", waiting: null }]);
      expect(transfers[0]?.last_run?.outcome).toBe("failed");
      expect(transfers[0]?.problem).toContain("401");
      expect(limits.map(({ until: time }) => time)).toEqual([null]);
      const { stdout } = await project.sluice("status");
      expect(stdout).toMatch(
        /:refused is blocked until the key changes: .* → `sluice rate-limit show`/,
      );
    },
    timeoutMs,
  );

  it(
    "says what a run waits for, and in seconds that Temporal does not answer",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(3),
      });
      await project.worker();
      const tooMany = { status: 429, headers: { "retry-after": "600" } };
      project.sandbox.order({ step: "upload-json", do: tooMany });
      const handle = await project.start({ sync: "accounts" });
      const waiting = await until(async () => (await statusOf(project)).transfers[0]?.waiting);
      expect(waiting).toMatch(/^rate limited until /);
      await soon(async () => {
        const { stdout } = await project.sluice("status");
        expect(stdout).toMatch(/ running +.*rate limited until /);
      });

      const nowhere = { TEMPORAL_ADDRESS: (await refusing()).host };
      const begunMs = performance.now();
      await statusOf(project);
      const usualMs = performance.now() - begunMs;
      expect((await statusOf(project, nowhere)).transfers[0]).toMatchObject({
        waiting: null,
        problem: "Temporal does not say how far it is",
      });
      const { stdout } = await project.sluiceWith(nowhere, "status");
      expect(stdout).toMatch(/^cannot reach Temporal at .*: connection refused → /m);
      // Compared with what the same command takes on this machine at this time.
      expect(performance.now() - begunMs).toBeLessThan(2 * usualMs + 10_000);

      await handle.terminate();
      await soon(async () => {
        expect((await statusOf(project)).transfers[0]).toMatchObject({
          problem: "interrupted",
          hint: "`sluice run accounts`",
        });
      });
    },
    timeoutMs,
  );
});
