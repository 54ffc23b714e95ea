import { expect, it, onTestFinished } from "vitest";

import { clockAhead } from "../../chaos/world/clock.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { accountsCsv, Project, syncsConfig } from "../../support/project/project.ts";

const rows = 6_000;
const perSecond = 2;
const retryAfterSeconds = 4;

/** How many minutes the clocks of the two hosts are wrong. */
const [ahead, behind] = [20, -20];

/** The permit of one request may come late, and its answer. */
const lateMs = 1_000;

/** The environment of a process on a host whose clock is this many minutes ahead. */
function hostEnv(host: string, minutes: number): NodeJS.ProcessEnv {
  return { SLUICE_STATE_DIR: `.sluice-${host}`, ...clockAhead(minutes / 60) };
}

it("two hosts whose clocks are forty minutes apart send all once, at one rate, and keep their locks", async () => {
  const { url } = await postgres();
  const names = ["one", "two"];
  const more = "mode: lightweight\n    chunk: { records: 1000 }";
  const yaml = syncsConfig({ one: more, two: more }, ", heartbeat_timeout: 10s")
    .replace("requests_per_second: 1000", `requests_per_second: ${perSecond}`)
    .replace("connections:", 'store: { url: "${STORE_URL}", project: p }\nconnections:');
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": yaml,
    "one.csv": accountsCsv(rows),
    "two.csv": accountsCsv(rows),
  });
  Object.assign(project.env, { STORE_URL: url });
  expect((await project.sluiceWith(hostEnv("c", 0), "store", "migrate")).code).toBe(0);
  const workers = await Promise.all([
    project.worker(hostEnv("a", ahead)),
    project.worker(hostEnv("b", behind)),
  ]);
  const { stdout: status } = await project.sluiceWith(hostEnv("c", 0), "status");
  expect(status).toContain("2 workers on 2 hosts");

  const tooMany = { status: 429, headers: { "retry-after": `${retryAfterSeconds}` } };
  project.sandbox.order({ step: "upload-json", after: 5, do: tooMany });
  const handles = await Promise.all(
    names.map(async (sync) => await project.start({ sync }, `sync-${sync}`)),
  );
  await until(async () => (await project.ledger()).length > 3);
  // Whichever host is asked: the holder of the lock keeps it, however old it looks.
  const others = await Promise.all(
    names.map(async (sync) => await project.start({ sync }, `other-${sync}`)),
  );
  for (const other of others) {
    expect(await other.result()).toMatchObject({ outcome: "busy", requests: 0 });
  }
  for (const handle of handles) {
    expect(await handle.result()).toMatchObject({
      outcome: "done",
      balanced: true,
      possibly_repeated: 0,
      counts: { read: rows, sent: rows },
    });
  }

  const ledger = await project.ledger();
  const applied = ledger.filter((entry) => entry.applied);
  expect(applied.reduce((sum, { records }) => sum + (records ?? 0), 0)).toBe(2 * rows);
  expect((await project.records()).size).toBe(2 * rows);
  const times = ledger.map(({ t }) => Date.parse(t));
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  expect(last - first).toBeGreaterThan(((times.length - 1) * 1_000) / perSecond - lateMs);
  // Never more than the rate in any second, except for late ones.
  for (const [index, time] of times.entries()) {
    const inSecond = times.slice(index).filter((other) => other - time < 1_000).length;
    expect(inSecond).toBeLessThanOrEqual(perSecond + (perSecond * lateMs) / 1_000);
  }
  const refused = ledger.findIndex(({ status: given }) => given === 429);
  const until429 = (times[refused] ?? 0) + retryAfterSeconds * 1_000;
  // Requests that already had a permit are on their way.
  const early = times.slice(refused + 1).filter((time) => time < until429 - lateMs).length;
  expect([refused >= 0, early <= 2]).toEqual([true, true]);

  // Records known to be held are not sent again, whichever clock recorded them; and each run finds the workers.
  for (const [index, sync] of names.entries()) {
    const minutes = [behind, ahead][index] ?? 0;
    const { stdout } = await project.sluiceWith(hostEnv("c", minutes), "run", sync, "--json");
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      counts: { read: rows, sent: 0 },
    });
  }
  expect(workers.map(({ exitCode }) => exitCode)).toEqual([null, null]);
}, 600_000);
