import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import type { askTemporal, Told } from "../../../../src/cli/running/ask-temporal.ts";
import { heldNow, lookAtProject, type ProjectStatus } from "../../../../src/cli/status/look.ts";
import { statusText } from "../../../../src/cli/status/text.ts";
import type { TransferStatus } from "../../../../src/cli/status/transfer.ts";
import { systemClock } from "../../../../src/clock.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { configMarks } from "../../../../src/hosts/live-workers.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { keyName } from "../../../../src/service/key-limits.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { heldNight } from "../../../support/project/held-night.ts";

function ignore(): void {}

const nothing: Told = {
  asked: new Set(),
  runs: new Map(),
  elsewhere: new Set(),
  schedules: new Map(),
  silent: undefined,
};

async function saysNothing(): Promise<Told> {
  return await Promise.resolve(nothing);
}

function contextIn({ folder }: Harness): Parameters<typeof lookAtProject>[0]["context"] {
  const environment = readEnvironment({});
  return { cwd: folder, environment, print: ignore, say: ignore, exit: ignore };
}

/** The status of the project; Temporal says this of the runs that it is asked about. */
async function projectOf(
  harness: Harness,
  says: (asked: ReadonlySet<string>) => Promise<Partial<Told>>,
): Promise<ProjectStatus> {
  const { state, config } = harness.deps;
  const whatTemporalSays: typeof askTemporal = async ({ runs }) => {
    const asked = new Set(runs.map(({ runId }) => runId));
    return { ...nothing, asked, ...(await says(asked)) };
  };
  const context = contextIn(harness);
  return await lookAtProject({ state, config, context, whatTemporalSays });
}

/** The same of the only sync. */
async function statusOf(...of: Parameters<typeof projectOf>): Promise<TransferStatus | undefined> {
  return (await projectOf(...of)).transfers[0];
}

/** A project with a worker, and a run that continues. */
async function running({
  kind = "sync",
  hasWorker = true,
}: {
  readonly kind?: "backfill" | "sync";
  readonly hasWorker?: boolean;
} = {}): Promise<Harness> {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { state, config, target } = harness.deps;
  const ids = {
    runId: "run-1",
    workflowId: "w",
    firstRunId: "f",
    temporalId: "t",
    configHash: "c",
  };
  const of = { sync: "accounts", target, kind, request: {} } as const;
  await state.openRun({ ...ids, ...of, startedAt: new Date(state.now()).toISOString() });
  if (!hasWorker) return harness;
  const worker = { hostId: "host", process: "6166", temporalId: "t", version: "1" };
  const configs = configMarks(config);
  await state.beat({ ...worker, configs, command: "worker", lastBeat: state.now() });
  return harness;
}

const closed = new Map([["run-1", { isWorkflowOpen: false, waiting: undefined }]]);

it("a run that ended while Temporal was asked about it is not said to be interrupted, nor to wait", async () => {
  const harness = await running();
  const { state } = harness.deps;
  const interrupted = await statusOf(harness, async () => ({ runs: closed }));
  expect(interrupted?.problem?.text).toBe("interrupted");
  const ended = await statusOf(harness, async () => {
    await state.endRun({ runId: "run-1", outcome: "done", endedAt: "2026-01-01T00:00:00.000Z" });
    return { runs: closed };
  });
  expect(ended).toMatchObject({ last: { outcome: "done" }, problem: undefined });
  // As an older answer to a page has it.
  const waiting = { isWorkflowOpen: true, waiting: "the service asks to wait" };
  const older = await statusOf(harness, async () => ({ runs: new Map([["run-1", waiting]]) }));
  expect(older?.waiting).toBeUndefined();
});

it("a hold that is answered while Temporal is asked about it is not said to be lost", async () => {
  const harness = await heldNight();
  const { state, config } = harness.deps;
  const held = await state.run("run-1");
  const lost = await statusOf(harness, async () => ({ runs: closed }));
  expect(lost?.problem?.text).toMatch(/^it was held, and its workflow was ended from outside/);
  const discards = async (): Promise<Told> => {
    const endedAt = new Date(state.now()).toISOString();
    await state.endRun({ runId: "run-1", outcome: "discarded", endedAt });
    return { ...nothing, runs: closed };
  };
  const looking = { state, config, context: contextIn(harness), whatTemporalSays: discards };
  const now = held && (await heldNow(looking, held));
  expect(now).toMatchObject({ run: { outcome: "discarded" }, not: undefined });
  const discarded = await statusOf(harness, async () => ({ runs: closed }));
  expect([discarded?.last?.outcome, discarded?.problem]).toEqual(["discarded", undefined]);
});

it("a run that Temporal was not asked about is not said to be one that it says nothing of", async () => {
  const harness = await running();
  const silent = await statusOf(harness, async () => ({}));
  expect(silent?.problem?.text).toBe("Temporal does not say how far it is");
  const older = await statusOf(harness, async () => ({ asked: new Set<string>() }));
  expect(older?.problem).toBeUndefined();
});

it("says of a backfill what it waits for, or that nobody continues with it", async () => {
  const harness = await running({ kind: "backfill" });
  const lineWith = async (told: Partial<Told>): Promise<string | undefined> => {
    const text = statusText(await projectOf(harness, async () => await Promise.resolve(told)));
    return /^backfill run-1 of accounts since \S+: read 0, sent 0(.*)$/m.exec(text)?.[1];
  };
  const open = { isWorkflowOpen: true, waiting: "paused: `sluice resume` continues it" };
  expect(await lineWith({ runs: new Map([["run-1", open]]) })).toBe(`; ${open.waiting}`);
  expect(await lineWith({ runs: new Map([["run-1", { ...open, waiting: undefined }]]) })).toBe("");
  expect(await lineWith({ runs: closed })).toBe("; interrupted → `sluice backfill accounts`");
  expect(await lineWith({ asked: new Set() })).toBe("");
});

it("says that a backfill lacks a worker", async () => {
  const harness = await running({ kind: "backfill", hasWorker: false });
  const text = statusText(await projectOf(harness, async () => ({})));
  expect(text).toContain("no worker runs, so nothing moves");
  expect(text).toContain("interrupted → `sluice backfill accounts`");
});

it("knows for which time a run was begun, though the store's clock was behind Temporal's then", async () => {
  const yaml = accountsYaml('schedule: { at: "02:30", time_zone: UTC }');
  const harness = await Harness.open({ yaml });
  const { deps } = harness;
  const { config, state } = deps;
  const context = contextIn(harness);
  const undated: unknown[] = [];
  const whatTemporalSays: typeof askTemporal = async (asked) => {
    undated.push(asked.undated);
    return await Promise.resolve(nothing);
  };
  const textAfter = async (
    runId: string,
    at: string,
    nominalAt?: string,
  ): Promise<string | undefined> => {
    const ids = { runId, workflowId: runId, firstRunId: runId, temporalId: "t", configHash: "c" };
    const of = { sync: "accounts", target: deps.target, kind: "sync", request: {} } as const;
    await state.openRun({ ...ids, ...of, nominalAt, startedAt: at });
    await state.endRun({ runId, outcome: "done", endedAt: at });
    const { transfers } = await lookAtProject({ state, config, context, whatTemporalSays });
    return transfers[0]?.problem?.text;
  };
  const hoursAgo = (hours: number): string =>
    new Date(state.now() - hours * 3_600_000).toISOString();
  expect(await textAfter("run-1", hoursAgo(30))).toMatch(/scheduled runs? did not happen since/);
  expect(await textAfter("run-2", hoursAgo(11), hoursAgo(0))).toBeUndefined();
  // After a run that a person began it matters since when the schedule is there.
  expect(undated).toEqual([["accounts"], []]);
});

it("asks since when there is a schedule of what never ran, and counts no night at another service", async () => {
  const yaml = accountsYaml('schedule: { at: "02:30", time_zone: UTC }');
  const harness = await Harness.open({ yaml });
  const { config, state } = harness.deps;
  const since = new Date(state.now() - 3 * 86_400_000);
  const scheduled = { kind: "on", note: "", since } as const;
  const undated: unknown[] = [];
  const whatTemporalSays: typeof askTemporal = async (asked) => {
    undated.push(asked.undated);
    return await Promise.resolve({ ...nothing, schedules: new Map([["accounts", scheduled]]) });
  };
  const text = async (): Promise<string | undefined> => {
    const context = contextIn(harness);
    const { transfers } = await lookAtProject({ state, config, context, whatTemporalSays });
    return transfers[0]?.problem?.text;
  };
  expect(await text()).toMatch(/^[23] scheduled runs did not happen$/);
  expect(undated).toEqual([["accounts"]]);
  const ids = {
    runId: "run-1",
    workflowId: "w",
    firstRunId: "f",
    temporalId: "t",
    configHash: "c",
  };
  const of = { sync: "accounts", target: "https://other.example main", kind: "sync" } as const;
  await state.openRun({
    ...ids,
    ...of,
    request: {},
    startedAt: new Date(state.now()).toISOString(),
  });
  expect(await text()).toBeUndefined();
});

it("shows the limits of the key that its file has now, and not those of the key at its start", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { state, config } = harness.deps;
  const apiKeyFile = join(harness.folder, "key");
  await writeFile(apiKeyFile, "rotated\n", { mode: 0o600 });
  const rotated = { ...config, api: { ...config.api, apiKeyFile } };
  for (const key of [config.api.apiKey, new Secret("rotated")]) {
    const event = { kind: "blocked", forMs: 60_000, why: "slow down" } as const;
    await state.noteLimit({ limit: `api:${keyName(key)}`, event, ...systemClock()() });
  }
  const looked = await lookAtProject({
    state,
    config: rotated,
    context: contextIn(harness),
    whatTemporalSays: async () => await Promise.resolve(nothing),
  });
  expect(looked.limits).toMatchObject([{ limit: `api:${keyName(new Secret("rotated"))}` }]);
});

it("says where records go if that is a sandbox, which a file without an address may mean", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  const { state, config } = harness.deps;
  const context = contextIn(harness);
  const textAt = async (baseUrl: "sandbox" | URL): Promise<string> => {
    const api = { ...config.api, baseUrl };
    const looking = { state, config: { ...config, api }, context, whatTemporalSays: saysNothing };
    return statusText(await lookAtProject(looking));
  };
  const line = "\nrecords go to a sandbox on this machine, not to the service";
  expect(await textAt("sandbox")).toContain(line);
  expect(await textAt(new URL("https://ingest.example.com"))).not.toContain("records go to");
});
