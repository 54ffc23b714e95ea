import { inspect } from "node:util";

import type { WorkflowHandle } from "@temporalio/client";
import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { TestTemporal } from "../../chaos/world/temporal.ts";
import type { TestDatabase } from "../../support/postgres/postgres.ts";
import {
  accounts,
  md5Of,
  pullingProject,
  pullNow,
} from "../../support/postgres/pull-into-postgres.ts";
import { end, until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import type { Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;
async function callsOf(project: Project, step: string): Promise<number> {
  return (await project.ledger()).filter((entry) => entry.step === step).length;
}

/** The expected state once every result has arrived and been written, and each of the four pages was paid for once. */
const whole = {
  outcome: "done",
  balanced: true,
  counts: { read: accounts },
  pull: { calls: 4, possibly_paid_twice: 0 },
  searches: 4,
  written: { rows: accounts },
};

async function foundOf(
  report: RunReport,
  project: Project,
  database: TestDatabase,
): Promise<object> {
  const searches = await callsOf(project, "search");
  return { ...report, searches, written: await md5Of(database, "scores") };
}

/** Starts the workflow of `scores` and waits until its first page waits for a lock on the table. */
async function startBlocked(
  { client }: Pick<TestTemporal, "client">,
  database: TestDatabase,
): Promise<WorkflowHandle<(input: unknown) => Promise<RunReport>>> {
  await database.admin.query("begin; lock table scores in access exclusive mode");
  const handle = await client.workflow.start<(input: unknown) => Promise<RunReport>>("searchPull", {
    taskQueue: "sluice",
    workflowId: "pull",
    args: [{ pull: "scores" }],
  });
  await until(async () => await isWaited(database));
  return handle;
}

/** Whether a statement waits for the table of `scores`. */
async function isWaited({ query }: TestDatabase): Promise<boolean> {
  const locks = await query(
    "select 1 from pg_locks where not granted and relation = 'scores'::regclass",
  );
  return locks.length > 0;
}

describe("sluice pull", () => {
  it(
    "brings scores and job postings into Postgres, and the second time changes nothing",
    async () => {
      const { project, database } = await pullingProject({ advanced: ", chunks_per_run: 2" });
      await project.worker();
      const scores = await pullNow(project, "scores");
      expect(scores).toMatchObject({
        outcome: "done",
        balanced: true,
        counts: { read: accounts },
        pull: { written: accounts, pages: 4, calls: 4 },
      });
      const found = await database.query("select * from scores where fit is null or segment = ''");
      expect(found).toEqual([]);
      const hiring = await pullNow(project, "hiring");
      expect(hiring).toMatchObject({
        outcome: "done",
        balanced: true,
        pull: { domains: { listed: accounts, done: accounts, refused: 0 } },
      });
      expect(hiring.pull?.written).toBeGreaterThan(100);

      const before = [await md5Of(database, "scores"), await md5Of(database, "job_postings")];
      expect(before).toMatchObject([{ rows: accounts }, { rows: hiring.pull?.written }]);
      for (const name of ["scores", "hiring"]) {
        const again = await pullNow(project, name);
        expect(again).toMatchObject({ outcome: "done", pull: { written: 0, continued: false } });
        expect(again.counts.unchanged).toBe(again.counts.read);
      }
      expect([await md5Of(database, "scores"), await md5Of(database, "job_postings")]).toEqual(
        before,
      );

      const { stderr } = await project.sluice("pull", "scors");
      expect(stderr).toContain('did you mean "scores"?');
      const { stdout } = await project.sluice("pull", "scores", "--limit", "3");
      expect(stdout).toMatch(/results +read 3 = written 0 \+ unchanged 3 /);
      expect(stdout).toContain("not everything came");
    },
    timeoutMs,
  );

  it(
    "loses nothing and pays for no page twice when its worker is killed in the write-back",
    async () => {
      const { project, database } = await pullingProject();
      const worker = await project.worker();
      const handle = await startBlocked(project.temporal, database);
      await end(worker, "SIGKILL");
      await database.admin.query("rollback");
      await project.worker();
      expect(await foundOf(await handle.result(), project, database)).toMatchObject(whole);
    },
    timeoutMs,
  );

  it(
    "continues while Temporal is down, and pays for no page twice when it is back (row 45)",
    async () => {
      const { project, database } = await pullingProject();
      const temporal = await TestTemporal.start(await temporaryFolder());
      onTestFinished(async () => await temporal.close());
      project.env["TEMPORAL_ADDRESS"] = temporal.address;
      project.env["TEMPORAL_NAMESPACE"] = "default";
      await project.worker();
      const handle = await startBlocked(temporal, database);
      const back = temporal.crash();
      await database.admin.query("rollback");
      await back;
      expect(await foundOf(await handle.result(), project, database)).toMatchObject(whole);
    },
    timeoutMs,
  );

  it(
    "ends within five seconds of a cancel, and continues there with the next run",
    async () => {
      const { project, database } = await pullingProject();
      await project.worker();
      const handle = await startBlocked(project.temporal, database);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
      expect(await project.msToCancel(handle.workflowId)).toBeLessThan(5_000);
      // The server takes a second to notice that nobody waits for the statement any more.
      await until(async () => !(await isWaited(database)));
      await database.admin.query("rollback");
      const cancelled = await project.report();
      expect(cancelled).toMatchObject({
        outcome: "cancelled",
        balanced: true,
        pull: { calls: 1, pages: 0, finished: false },
      });
      const report = await pullNow(project, "scores");
      expect(report).toMatchObject({ pull: { written: accounts, calls: 3, continued: true } });
      expect(await callsOf(project, "search")).toBe(4);
    },
    timeoutMs,
  );

  it(
    "lets one run of a pull at a time begin",
    async () => {
      const { project, database } = await pullingProject();
      await project.worker();
      const handle = await startBlocked(project.temporal, database);
      const { code, stderr } = await project.sluice("pull", "scores");
      expect(code).toBe(1);
      expect(stderr).toContain("pull scores is being done by run scores-");
      const second = await project.temporal.client.workflow.start("searchPull", {
        taskQueue: "sluice",
        workflowId: "second",
        args: [{ pull: "scores" }],
      });
      expect(await second.result()).toMatchObject({ outcome: "busy" });
      await database.admin.query("rollback");
      expect(await handle.result()).toMatchObject({ outcome: "done" });
    },
    timeoutMs,
  );

  it(
    "says what is wrong with an input that was typed",
    async () => {
      const { project } = await pullingProject();
      await project.worker();
      await project.temporal.client.workflow.start("searchPull", {
        taskQueue: "sluice",
        workflowId: "typed",
        args: [{ pull: "scores", limits: 3 }],
      });
      const { report, failure } = await project.temporal.client.workflow.result("typed").then(
        (result: unknown) => ({ report: result, failure: "" }),
        (error: unknown) => ({ report: undefined, failure: inspect(error, { depth: 5 }) }),
      );
      expect(report).toBeUndefined();
      expect(failure).toContain("InvalidInput");
      expect(failure).toContain('Unrecognized key: "limits"');
      expect(failure).toContain('{"pull":"scores"');
    },
    timeoutMs,
  );
});
