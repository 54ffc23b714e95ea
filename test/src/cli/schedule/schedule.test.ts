import { Command } from "commander";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { registerSchedule } from "../../../../src/cli/schedule/schedule.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { configMarks } from "../../../../src/hosts/live-workers.ts";
import { temporalIdOf, workerIdentity } from "../../../../src/local/presence.ts";
import { processName } from "../../../../src/local/process-identity.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("`schedule apply` and `trigger` say which worker does not know what is scheduled", async () => {
  const yaml = accountsYaml('schedule: { at: "02:30", time_zone: UTC }');
  const { deps, folder, sandbox } = await Harness.open({ yaml });
  const { address, namespace, client, close } = await ownNamespace(folder);
  onTestFinished(close);
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_NAMESPACE", namespace);
  const environment = readEnvironment({
    TEMPORAL_ADDRESS: address,
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const schedule = async (...words: readonly string[]): Promise<readonly string[]> => {
    const said: string[] = [];
    const program = new Command().exitOverride();
    registerSchedule(program, {
      cwd: folder,
      environment,
      print: () => undefined,
      say: (text) => void said.push(text),
      exit: () => undefined,
    });
    await program.parseAsync(["schedule", ...words], { from: "user" });
    return said;
  };
  const { state, config } = deps;
  const taskQueue = { name: config.temporal.taskQueue };
  const identity = workerIdentity({ storeId: state.storeId, folder: undefined });
  // Polls the queue once, as a worker does.
  await client
    .withDeadline(Date.now() + 1_000, async () => {
      await client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity });
    })
    .catch(() => undefined);
  const temporalId = await temporalIdOf(client);
  const beat = async (configs: Readonly<Record<string, string>>): Promise<void> => {
    const [name, lastBeat] = [processName("host"), state.now()];
    const worker = { hostId: "host", process: "6166", command: "worker", version: "1", name };
    await state.beat({ ...worker, temporalId, lastBeat, configs });
  };
  await beat(configMarks(config));
  expect(await schedule("apply", "--yes")).toEqual(["made 1 change"]);

  await beat(configMarks({ ...config, syncs: new Map() }));
  const behind =
    "a worker of this project (process 6166, sluice worker) does not know sync accounts: a run that it takes fails " +
    "→ restart it with this file and environment";
  expect(await schedule("apply", "--yes")).toEqual([behind]);
  expect(await schedule("trigger", "accounts")).toContain(behind);
});
