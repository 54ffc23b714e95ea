import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { ownPostgres } from "../../support/postgres/postgres.ts";
import { end, until } from "../../support/process/process.ts";
import {
  companiesConfig,
  countDifferences,
  makeCompanies,
  startBackfill,
} from "../../support/project/companies.ts";
import { Project } from "../../support/project/project.ts";

/** A table of 10,000 rows, a store in the same database, and workers, each with a state folder. */
async function severalHosts() {
  const companies = { ...(await ownPostgres()), rows: 10_000 };
  await makeCompanies(companies);
  const yaml = companiesConfig(companies, {
    chunkRecords: 1_000,
    advanced:
      "retry_initial: 500ms, heartbeat_timeout: 5s, schedule_to_start: 2s, host_lost_after: 15s",
  });
  const files = { "sluice.yaml": `${yaml}store: { url: "\${STORE_URL}", project: p }\n` };
  const project = await Project.start(onTestFinished, files);
  Object.assign(project.env, { STORE_URL: companies.url });
  const hostEnv = (name: string): NodeJS.ProcessEnv => ({
    SLUICE_STATE_DIR: join(project.folder, name),
  });
  const migrated = await project.sluiceWith(hostEnv("a"), "store", "migrate");
  expect([migrated.code, migrated.stderr]).toEqual([0, ""]);
  return { companies, project, hostEnv };
}

it("a backfill is staged by two hosts at once, one dies with its disk, and it ends", async () => {
  const { companies, project, hostEnv } = await severalHosts();
  const doomed = await project.worker(hostEnv("a"));
  const other = await project.worker(hostEnv("b"));

  const copy = join(project.folder, "copy");
  await mkdir(copy);
  await cp(join(project.folder, "a", "host-id"), join(copy, "host-id"));
  const copied = await project.sluiceWith(hostEnv("copy"), "worker");
  expect([copied.code, copied.stderr]).toEqual([2, expect.stringContaining("was copied from")]);

  const elsewhere = { ...hostEnv("c"), TEMPORAL_NAMESPACE: "elsewhere" };
  const strange = await project.sluiceWith(elsewhere, "worker");
  expect([strange.code, strange.stderr]).toEqual([
    2,
    expect.stringMatching(/is used with Temporal at .*, and this is .* namespace elsewhere/),
  ]);
  const bound = await project.sluiceWith(elsewhere, "store", "rebind");
  expect([bound.code, bound.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("sluice worker) works at Temporal"),
  ]);

  // From here on each file takes a while, so that a kill can hit the middle.
  project.sandbox.order({ step: "put", oneIn: 1, do: { delayMs: 500 } });
  const handle = await startBackfill(project, { lanes: 2 });
  await until(async () => (await handle.query<object | null>("plan")) ?? undefined);
  await handle.executeUpdate("approve");
  const staged = async (): Promise<readonly unknown[]> =>
    await companies.query(
      "select host, count(distinct chunk / 1000000) as lanes from sluice.stagings group by host",
    );
  await until(async () => (await staged()).length === 2);
  expect(await staged()).toMatchObject([{ lanes: "1" }, { lanes: "1" }]);
  const status = await project.sluiceWith(hostEnv("c"), "status");
  expect([status.code, status.stdout]).toEqual([
    0,
    expect.stringMatching(/backfill backfill-\S+ of companies since .*\n2 workers on 2 hosts/),
  ]);
  await end(doomed, "SIGKILL");
  await rm(join(project.folder, "a"), { recursive: true });

  const report = await handle.result();
  if ("template" in report) throw new Error("the backfill was a template");
  const counts = { read: 10_000, sent: 10_000, rejected: 0 };
  expect(report).toMatchObject({ outcome: "done", balanced: true, counts });
  expect(await countDifferences(project, companies)).toBe(0);

  const shown = await project.sluiceWith(hostEnv("c"), "runs", "show");
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("sent 10,000")]);
  const words = ["bash", "runs", "show", ""];
  const offered = await project.sluiceWith(hostEnv("c"), "completion", ...words);
  expect(offered.stdout).toContain(report.run_id);

  await end(other, "SIGTERM");
  const rebound = await project.sluiceWith(elsewhere, "store", "rebind");
  expect([rebound.code, rebound.stdout]).toEqual([
    0,
    expect.stringContaining("namespace elsewhere"),
  ]);
  const refused = await project.sluiceWith(hostEnv("b"), "worker");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("store rebind")]);
}, 300_000);

it("a backfill, its rejects and a preview are asked for from a folder where no worker is", async () => {
  const { companies, project, hostEnv } = await severalHosts();
  await companies.query("update companies set domain = '' where id = 7");
  const worker = await project.worker(hostEnv("a"));
  const fromThird = async (...words: readonly string[]): Promise<unknown> => {
    const { code, stdout } = await project.sluiceWith(hostEnv("c"), ...words);
    return [code, stdout];
  };
  const words = ["companies", "--lanes", "2", "--yes"];
  const sent = expect.stringContaining("sent 9,999") as unknown;
  expect(await fromThird("backfill", ...words)).toEqual([3, sent]);
  const rejected = expect.stringContaining("companies:7: domain is required, and empty") as unknown;
  expect(await fromThird("rejects", "list")).toEqual([0, rejected]);
  const previewed = expect.stringContaining('"account_id":"2321"') as unknown;
  expect(await fromThird("preview", "companies")).toEqual([0, previewed]);
  await end(worker, "SIGTERM");
}, 300_000);
