import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ScheduleOverlapPolicy } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { scheduleId } from "../../../src/schedules/ids.ts";
import { scheduleJitterMs } from "../../../src/schedules/limits.ts";
import { scheduledNames } from "../../../src/schedules/plan.ts";
import { scheduleOptions } from "../../../src/schedules/temporal-schedule.ts";
import { sendLock } from "../../../src/state/contract/runs/locks.ts";
import { until, watch, type Ended } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, bin, Project } from "../../support/project/project.ts";

const timeoutMs = 180_000;

/** The sync is scheduled for a time that does not come during the test. */
function config(at = farOff()): string {
  return accountsConfig({ sync: `schedule: { at: "${at}", time_zone: UTC }` });
}

const halfDayMs = 12 * 3_600_000;

/** A time of day that is half a day away. */
function farOff(): string {
  return new Date(Date.now() + halfDayMs).toISOString().slice(11, 16);
}

const plan = z.object({
  changes: z.array(z.object({ change: z.string(), name: z.string() }).loose()),
  same: z.array(z.string()),
  applied: z.boolean(),
});

async function start(yaml: string): Promise<Project> {
  const files = { "sluice.yaml": yaml, "accounts.csv": accountsCsv(3) };
  return await Project.start(onTestFinished, files);
}

describe("sluice schedule", () => {
  it(
    "pauses what sluice.yaml does not schedule any more",
    async () => {
      const project = await start(config("02:30"));
      const apply = ["schedule", "apply"];
      await project.sluice(...apply, "--yes");
      // Temporal's list of schedules lags behind.
      await until(async () => (await scheduledNames(project.temporal.client, "sluice")).length > 0);
      await project.write("sluice.yaml", accountsConfig());
      const left = await project.sluice(...apply, "--json");
      const [first = "", last = ""] = left.stdout.trim().split("\n");
      expect(plan.parse(JSON.parse(first))).toEqual({
        changes: [{ change: "pause", name: "accounts" }],
        same: [],
        applied: false,
      });
      expect([left.code, last]).toEqual([2, expect.stringContaining('{"error":')]);
      const applied = await project.sluice(...apply, "--yes", "--json");
      expect(plan.parse(JSON.parse(applied.stdout)).applied).toBe(true);
      expect((await project.sluice("schedule", "list")).stdout).toContain(
        "accounts  not in sluice.yaml any more, paused: sluice.yaml does not schedule it any more",
      );
    },
    timeoutMs,
  );

  it(
    "triggers a run, pauses and resumes, and a missed night is named with the reason",
    async () => {
      // The time of day, and the last day on which it came: from one reading, because noon may strike meanwhile.
      const [day = "", time = ""] = new Date(Date.now() - halfDayMs).toISOString().split("T");
      const at = time.slice(0, 5);
      const project = await start(config(at));
      await project.worker();
      await project.sluice("schedule", "apply", "--yes");
      const nominalAt = `${day}T${at}:00.000Z`;
      await fireLate(project, nominalAt);
      await until(async () => (await project.state.runs({ limit: 1 }))[0]?.outcome === "done");
      expect(await project.state.runs({ limit: 1 })).toMatchObject([{ nominalAt, warnings: [] }]);

      const triggered = await project.sluice("schedule", "trigger", "accounts");
      const workflowId = triggered.stdout.trim();
      expect(workflowId).toMatch(/^sluice-sluice\.accounts-\d{4}-/);
      await project.temporal.client.workflow.getHandle(workflowId).result();
      const [run] = await project.state.runs({ limit: 1 });
      expect(run).toMatchObject({ workflowId, outcome: "done", warnings: [] });
      // A triggered run counts as a run of its schedule, for the time of the trigger.
      expect(Date.parse(run?.nominalAt ?? "")).toBeGreaterThan(Date.now() - timeoutMs);

      await holdLock(project);
      const second = (await project.sluice("schedule", "trigger", "accounts")).stdout.trim();
      const report: unknown = await project.temporal.client.workflow.getHandle(second).result();
      expect(report).toMatchObject({ outcome: "busy" });
      await project.state.releaseLock({ name: lockOf(project), runId: "held" });

      const paused = await project.sluice("schedule", "pause", "accounts", "--reason", "migration");
      expect(paused.stdout).toBe("paused accounts on sluice\n");
      expect((await project.sluice("schedule", "list")).stdout).toMatch(
        /^accounts {2}paused: since \S+Z: migration\n/,
      );
      await project.sluice("schedule", "apply", "--yes");
      setBack(project, 2.3);
      const missed = await project.sluice("run", "accounts");
      expect(missed.stdout).toMatch(
        new RegExp(
          String.raw`warning {5}2 scheduled runs did not happen: (?:\S+ \S+,? ){2}\(UTC\); its schedule ` +
            String.raw`is paused: since \S+Z: migration\n`,
        ),
      );
      const resumed = await project.sluice("schedule", "resume", "accounts", "--json");
      expect(resumed.stdout).toBe('{"name":"accounts","paused":false}\n');
      expect((await project.sluice("schedule", "resume", "accounts")).stdout).toBe(
        "accounts is not paused\n",
      );
      setBack(project, 1.3);
      await project.sluice("run", "accounts");
      expect((await project.report()).warnings).toEqual([
        expect.stringMatching(
          /^1 scheduled run did not happen: .*; its schedule was resumed \S+Z; paused since \S+Z: migration$/,
        ),
      ]);
    },
    timeoutMs,
  );

  it(
    "pauses and triggers no schedule that another project made",
    async () => {
      const project = await start(config());
      const schedule = { cron: "30 2 * * *", timeZone: "UTC" };
      const wanted = {
        name: "accounts",
        schedule,
        workflow: "sync",
        input: { sync: "accounts" },
      } as const;
      const other = { taskQueue: "sluice", storeId: "of another project" };
      const { client } = project.temporal;
      await client.schedule.create(scheduleOptions(wanted, other));
      for (const verb of ["pause", "trigger", "resume"]) {
        const { code, stderr } = await project.sluice("schedule", verb, "accounts");
        expect([code, stderr]).toEqual([2, expect.stringContaining("another project made")]);
      }
      const { state, info } = await client.schedule
        .getHandle(scheduleId("sluice", "accounts"))
        .describe();
      expect([state.paused, info.numActionsTaken]).toEqual([false, 0]);
    },
    timeoutMs,
  );

  it(
    "asks at a terminal, and takes only yes for it",
    async () => {
      const project = await start(config());
      const names = async (): Promise<readonly string[]> =>
        await scheduledNames(project.temporal.client, "sluice");
      const no = await answer(project, "\n");
      expect([no.code, no.stdout]).toEqual([1, expect.stringContaining("nothing was changed")]);
      const interrupt = await answer(project, "\u0003");
      expect([interrupt.code, await names()]).toEqual([130, []]);
      const yes = await answer(project, "y\n");
      expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining("made 1 change")]);
    },
    timeoutMs,
  );

  it(
    "says which name, or which schedule, there is not",
    async () => {
      const project = await start(config());
      const unknown = await project.sluice("schedule", "trigger", "account");
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        expect.stringContaining('(did you mean "accounts"?)'),
      ]);
      const early = await project.sluice("schedule", "pause", "accounts");
      expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("schedule apply")]);
      // No apply would create a schedule that the file does not have.
      const other = await project.sluice("schedule", "pause", "acounts");
      expect([other.code, other.stderr]).toEqual([
        2,
        expect.stringMatching(/schedules no "acounts" \(did you mean "accounts"\?\)/),
      ]);
      expect((await project.sluice("schedule", "list", "--json")).stdout).toContain(
        '"state":"not_applied"',
      );
      const long = await project.sluice(
        "schedule",
        "pause",
        "accounts",
        "--reason",
        "x".repeat(501),
      );
      expect([long.code, long.stderr]).toEqual([2, expect.stringContaining("500 characters")]);
    },
    timeoutMs,
  );
});

/** Runs `schedule apply` in a terminal and types this when it asks. */
async function answer({ folder, env }: Project, typed: string): Promise<Ended> {
  const command = `${process.execPath} ${bin} schedule apply`;
  const child = spawn("/usr/bin/script", ["-qec", command, "/dev/null"], { cwd: folder, env });
  const { printed, ended } = watch(child);
  await until(async () => printed().stdout.includes("[y/N]"));
  child.stdin.write(typed);
  return await ended;
}

/** Makes Temporal start the run that it should have started at a past time. */
async function fireLate({ temporal }: Project, time: string): Promise<void> {
  // The jitter matters: a time that it moves beyond the end is not made up for.
  const [from, to] = [Date.parse(time) - 1_000, Date.parse(time) + scheduleJitterMs];
  const span = { start: new Date(from), end: new Date(to) };
  const handle = temporal.client.schedule.getHandle(scheduleId("sluice", "accounts"));
  await handle.backfill({ ...span, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
}

function lockOf({ sandbox }: Project): string {
  return sendLock(`${sandbox.address} main`, "accounts");
}

/** Gives the send lock to a workflow that stays open, because nobody polls its queue. Returns its first run. */
async function holdLock(project: Project): Promise<void> {
  const workflowId = "holder";
  const { workflow } = project.temporal.client;
  const started = await workflow.start("sync", { taskQueue: "nobody", workflowId });
  const firstRunId = started.firstExecutionRunId;
  const holder = { workflowId, firstRunId, runId: "held", kind: "sync" };
  const at = new Date().toISOString();
  await project.state.takeLock({ name: lockOf(project), ...holder, at });
}

/**
 * Moves the runs of a project this many days into the past, because nobody can wait for past nights. The times they
 * were started for remain times of their schedule.
 */
function setBack({ folder }: Project, days: number): void {
  const db = new DatabaseSync(join(folder, ".sluice", "state.db"));
  const hours = { started_at: days * 24, ended_at: days * 24, nominal_at: Math.floor(days) * 24 };
  for (const [column, by] of Object.entries(hours)) {
    db.exec(
      `update runs set ${column} = strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '-${by} hours')`,
    );
  }
  db.close();
}
