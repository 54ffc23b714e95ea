import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import {
  needRightWorkers,
  standIn,
  type WorkersAt,
} from "../../../../src/cli/running/right-worker.ts";
import type { Config, SyncConfig } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { configMarks } from "../../../../src/hosts/live-workers.ts";
import { processName } from "../../../../src/local/process-identity.ts";
import { Secret } from "../../../../src/security/secret.ts";
import type { NewBeat } from "../../../../src/state/contract/runs/hosts.ts";
import { openSqliteStore } from "../../../../src/state/sqlite/open.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsConfig } from "../../../support/project/project.ts";

const wanted = { kind: "sync", name: "accounts" } as const;

/** The same file after somebody edited the sync, and after somebody added it. */
function edited(config: Config): Config {
  const syncs = [...config.syncs].map(
    ([name, sync]) => [name, { ...sync, configHash: "x" }] as const,
  );
  return { ...config, syncs: new Map(syncs) };
}

/** A project whose workers are set by the test. */
class Workers {
  readonly at: WorkersAt;
  readonly said: string[] = [];
  readonly #state: Awaited<ReturnType<typeof openSqliteStore>>;

  private constructor(at: WorkersAt, state: Awaited<ReturnType<typeof openSqliteStore>>) {
    this.at = at;
    this.#state = state;
  }

  static async open(): Promise<Workers> {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "sluice.yaml"), accountsConfig());
    const env = { SLUICE_BASE_URL: "sandbox", SLUICE_LEGACY_BASE_URL: "sandbox" };
    const config = await loadConfig({ path: "sluice.yaml", cwd: folder, env, connectors: sources });
    const state = await openSqliteStore(folder);
    onTestFinished(async () => await state.close());
    return new Workers({ config, state, temporalId: "here" }, state);
  }

  async beat(
    command: string,
    has: {
      readonly config?: Config;
      readonly configs?: NewBeat["configs"];
      readonly name?: string;
      readonly temporalId?: string;
    } = {},
  ): Promise<void> {
    const { config = this.at.config, name = processName("host"), temporalId = "here" } = has;
    const beat = { hostId: "host", process: "6166", temporalId, version: "1", name, command };
    const { configs = configMarks(config) } = has;
    await this.#state.beat({ ...beat, lastBeat: Date.now(), configs });
  }

  async stop(): Promise<void> {
    await this.#state.stopBeating({ hostId: "host", process: "6166" });
  }

  async need(): Promise<void> {
    const context = { say: (text: string) => void this.said.push(text) };
    await needRightWorkers(this.at, wanted, { context, signal: AbortSignal.timeout(20_000) });
  }
}

describe("the workers that may take a run", () => {
  it("may have read another key out of the file that both are told of", async () => {
    const workers = await Workers.open();
    const { config } = workers.at;
    const of = (key: string): Config => {
      const api = { ...config.api, apiKey: new Secret(key), apiKeyFile: "/run/secrets/key" };
      return { ...config, api };
    };
    await workers.beat("worker", { config: of("the old key") });
    const at = { ...workers.at, config: of("the new key") };
    const how = { context: { say: () => undefined }, signal: AbortSignal.timeout(20_000) };
    await expect(needRightWorkers(at, wanted, how)).resolves.toBeUndefined();
  });

  it("stop it before it begins where one has another configuration of it, and say which", async () => {
    const workers = await Workers.open();
    await workers.need();
    await workers.beat("worker");
    await workers.need();
    const apiKey = new Secret("another key");
    const { api } = workers.at.config;
    await workers.beat("worker", { config: { ...workers.at.config, api: { ...api, apiKey } } });
    await expect(workers.need()).rejects.toThrow(
      "or another task queue, address or key of the service",
    );
    await workers.beat("worker", { config: edited(workers.at.config) });
    await expect(workers.need()).rejects.toMatchObject({
      code: "ConfigChanged",
      message:
        "a worker of this project (process 6166, sluice worker) has another configuration of sync accounts, " +
        "or another task queue, address or key of the service",
      hint: "restart it with the files and the environment of this command, then try again",
    });
    await workers.beat("worker", { config: { ...workers.at.config, syncs: new Map() } });
    await expect(workers.need()).rejects.toThrow('was started before sync "accounts" was added');
    await workers.beat("run", { config: edited(workers.at.config) });
    await expect(workers.need()).rejects.toMatchObject({
      hint: "it stops when its own run has ended: run again then",
    });
  });

  it("stop it also where one has other guardrails, another bound of a backfill or another look", async () => {
    const workers = await Workers.open();
    const { config } = workers.at;
    const edits: readonly Partial<Pick<SyncConfig, "approveUpTo" | "holdIf" | "verify">>[] = [
      { holdIf: { rejectedAbove: { count: 5 }, fieldChangedAbove: {} } },
      { approveUpTo: 7 },
      {
        verify: {
          schedule: { cron: "30 2 * * *", timeZone: "UTC" },
          sample: 7,
          callsMax: undefined,
        },
      },
    ];
    for (const edit of edits) {
      const syncs = [...config.syncs].map(([name, sync]) => [name, { ...sync, ...edit }] as const);
      await workers.beat("worker", { config: { ...config, syncs: new Map(syncs) } });
      await expect(workers.need()).rejects.toThrow("has another configuration of sync accounts");
    }
    const { [`bounds of sync ${wanted.name}`]: _, ...older } = configMarks(config);
    await workers.beat("worker", { configs: older });
    await expect(workers.need()).resolves.toBeUndefined();
  });

  it("are not those that Temporal is away from, which work with nothing", async () => {
    const workers = await Workers.open();
    await workers.beat("worker", { configs: {} });
    await expect(workers.need()).resolves.toBeUndefined();
  });

  it("are not among another Temporal, and none whose process is gone", async () => {
    const workers = await Workers.open();
    const config = edited(workers.at.config);
    await workers.beat("worker", { config, temporalId: "there" });
    await workers.need();
    // A start time that no process has.
    const name = `${processName("host").split(" ").slice(0, 3).join(" ")} 1`;
    await workers.beat("worker", { config, name });
    await expect(workers.need()).resolves.toBeUndefined();
  });

  it("are waited for where sluice dev takes the changed file up by itself", async () => {
    const workers = await Workers.open();
    await workers.beat("dev", { config: edited(workers.at.config) });
    const needed = workers.need();
    await expect.poll(() => workers.said).toHaveLength(1);
    await workers.beat("dev");
    await needed;
    expect(workers.said).toEqual([
      "waiting until sluice dev (process 6166) takes the changed file up",
    ]);
  });

  it("are replaced by one of the command once the last that lasts is gone", async () => {
    const workers = await Workers.open();
    const name = processName("another host");
    await workers.beat("dev", { name });
    const done: string[] = [];
    const start = async (): Promise<() => Promise<void>> => {
      done.push("started");
      return async () => void done.push("stopped");
    };
    const idle = await standIn(workers.at, start);
    await idle();
    expect(done).toEqual([]);
    const stop = await standIn(workers.at, start);
    await workers.stop();
    await expect.poll(() => done, { timeout: 10_000 }).toEqual(["started"]);
    await stop();
    expect(done).toEqual(["started", "stopped"]);
  });
});
