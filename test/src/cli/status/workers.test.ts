import { describe, expect, it } from "vitest";

import { lookAtProject, type ProjectStatus } from "../../../../src/cli/status/look.ts";
import { remarkLines, statusText } from "../../../../src/cli/status/text.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { configMarks } from "../../../../src/hosts/live-workers.ts";
import { processName } from "../../../../src/local/process-identity.ts";
import { Secret } from "../../../../src/security/secret.ts";
import type { NewBeat } from "../../../../src/state/contract/runs/hosts.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";

const yaml = accountsYaml('schedule: { at: "02:30", time_zone: UTC }');

function ignore(): void {}

/** The status of a scheduled project without a Temporal. */
async function statusOf({ deps, folder }: Harness): Promise<ProjectStatus> {
  const environment = readEnvironment({});
  return await lookAtProject({
    ...deps,
    context: { cwd: folder, environment, print: ignore, say: ignore, exit: ignore },
    whatTemporalSays: async () => ({
      runs: new Map(),
      elsewhere: new Set<string>(),
      asked: new Set<string>(),
      schedules: new Map(),
      silent: undefined,
    }),
  });
}

/** Adds one beating worker to it. */
async function beat({ deps }: Harness, worker: Partial<NewBeat>): Promise<void> {
  const { state, config } = deps;
  const configs = configMarks(config);
  const common = { hostId: "host", process: "6166", temporalId: "t", version: "1", configs };
  await state.beat({ ...common, command: "worker", lastBeat: state.now(), ...worker });
}

const missing = "no worker runs, so nothing moves → `sluice worker`, or `sluice dev` on a laptop";

describe("workers in the status", () => {
  it("are those that do work of the project, also where one tells no task queue", async () => {
    const harness = await Harness.open({ yaml });
    expect(remarkLines(await statusOf(harness))).toEqual([missing]);
    await beat(harness, {});
    await beat(harness, { hostId: "older", configs: { "sync accounts": "x" } });
    const status = await statusOf(harness);
    expect(status).toMatchObject({ workers: 2, hosts: 2, idle: [] });
    expect(remarkLines(status)).toEqual([]);
    expect(statusText(status)).toContain("2 workers on 2 hosts");
  });

  it("are not those that poll another task queue, which are named", async () => {
    const harness = await Harness.open({ yaml });
    const { config } = harness.deps;
    const other = { ...config.temporal, taskQueue: "theirs" };
    await beat(harness, { configs: configMarks({ ...config, temporal: other }) });
    const status = await statusOf(harness);
    expect(status).toMatchObject({ workers: 0, hosts: 0 });
    expect(remarkLines(status)).toEqual([
      "a worker of this project (process 6166, sluice worker) polls another task queue than that of " +
        `${config.file}, which is ${config.temporal.taskQueue} → restart it with this file and environment`,
      missing.replace("no worker", "no other worker"),
    ]);
  });

  it("are not those that Temporal is away from, which are named", async () => {
    const harness = await Harness.open({ yaml });
    await beat(harness, { configs: {} });
    const status = await statusOf(harness);
    expect(status).toMatchObject({ workers: 0, hosts: 0 });
    expect(remarkLines(status)).toEqual([
      "a worker of this project (process 6166, sluice worker) does nothing: Temporal is away from it → is Temporal " +
        "reached from there? `sluice doctor`",
      missing.replace("no worker", "no other worker"),
    ]);
  });

  it("are also those that lack a sync which was added since, which are named with what they lack", async () => {
    const harness = await Harness.open({ yaml });
    const { config } = harness.deps;
    const configs = configMarks({ ...config, syncs: new Map() });
    await beat(harness, { configs });
    await beat(harness, { hostId: "new" });
    await beat(harness, { hostId: "laptop", command: "dev", configs });
    const status = await statusOf(harness);
    expect(status).toMatchObject({ workers: 3, hosts: 3, idle: [] });
    expect(remarkLines(status)).toEqual([
      "a worker of this project (process 6166, sluice worker) does not know sync accounts: a run that it takes fails " +
        "→ restart it with this file and environment",
    ]);
  });

  it("are also those that have another configuration, address or key, which are named with the syncs", async () => {
    const harness = await Harness.open({ yaml });
    const { config } = harness.deps;
    const other = { ...config, api: { ...config.api, apiKey: new Secret("another") } };
    await beat(harness, { configs: configMarks(other) });
    await beat(harness, { hostId: "laptop", command: "dev", configs: configMarks(other) });
    expect(remarkLines(await statusOf(harness))).toEqual([
      "a worker of this project (process 6166, sluice worker) has another configuration of sync accounts, or another " +
        "address or key of the service → restart it with this file and environment",
    ]);
  });

  it("are also those that have other guardrails, which are named", async () => {
    const harness = await Harness.open({ yaml });
    const { config } = harness.deps;
    const holdIf = { rejectedAbove: { count: 5 }, fieldChangedAbove: {} };
    const syncs = [...config.syncs].map(([name, sync]) => [name, { ...sync, holdIf }] as const);
    await beat(harness, { configs: configMarks({ ...config, syncs: new Map(syncs) }) });
    expect(remarkLines(await statusOf(harness))).toEqual([
      expect.stringContaining("has another configuration of sync accounts"),
    ]);
  });

  it("are not those whose process is gone, though they were heard of a moment ago", async () => {
    const harness = await Harness.open({ yaml });
    // A start time that no process has.
    const name = `${processName("host").split(" ").slice(0, 3).join(" ")} 1`;
    await beat(harness, { name });
    expect(remarkLines(await statusOf(harness))).toEqual([missing]);
  });
});
