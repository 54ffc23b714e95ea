import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";

import { ApplicationFailure } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { onTestFinished } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import { createHostActivities, createSharedActivities } from "../../../activities/index.ts";
import type { HostActivities, SharedActivities } from "../../../activities/index.ts";
import { createStageThreads } from "../../../activities/stage/stage-threads.ts";
import { sources } from "../../../connectors/registry.ts";
import { createApiClient, type ApiClient } from "../../../src/api/client.ts";
import type { Timeouts } from "../../../src/api/context.ts";
import type { RateLimiter } from "../../../src/api/rate-limiter.ts";
import { targetOf } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { runEffect } from "../../../src/effect.ts";
import { StateUnavailableError } from "../../../src/errors.ts";
import { isProcessGone, processName } from "../../../src/local/process-identity.ts";
import { createNotifier } from "../../../src/notify/notifier.ts";
import type { NotifyInput } from "../../../src/notify/receivers.ts";
import type { SandboxSettings } from "../../../src/sandbox/http/server.ts";
import { StoreRateLimiter } from "../../../src/service/rate-limiter.ts";
import { openSqliteStore } from "../../../src/state/sqlite/open.ts";
import type { StateClient, StateStore } from "../../../src/state/state-store.ts";
import { canaries, refuseCanaries } from "../canaries.ts";
import { temporaryFolder } from "../process/temporary-folder.ts";
import { SandboxView } from "../sandbox-view.ts";
import { TestClock } from "../test-clock.ts";
import { openStoreInline, stageInline } from "./inline-threads.ts";

/** What a harness is made of. */
export type HarnessSettings = {
  /** Text of `sluice.yaml`; `api.base_url` and the key come from the environment, as `accountsYaml` has them. */
  readonly yaml: string;
  /** Further files of the project, by name. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly sandbox?: Partial<SandboxSettings>;
  /** Whether the store and the staging have their own threads, as in a worker; the test's own thread is faster. */
  readonly hasThreads?: boolean;
  /** The rate limiter's random source. @default always 0.5 */
  readonly random?: () => number;
};

/** The API key of every harness. */
export const harnessKey: string = canaries.apiKey;

/** Swallows what Temporal logs about failing activities, which here are meant to fail. */
export const quiet = new DefaultLogger("ERROR", () => undefined);

/** The context of an activity's attempt. */
export type Try = {
  /** @default 1 */
  readonly attempt?: number;
  /** @default 12 hours */
  readonly scheduleToCloseTimeoutMs?: number;
  /** @default the activity's name in the environment */
  readonly activityType?: string;
  /** When it was first scheduled. @default now */
  readonly scheduledTimestampMs?: number;
};

/**
 * The activities with their real dependencies: a project folder, the SQLite store, a sandbox on a free port, the client
 * and the CSV connector. Only the clock and the randomness are the test's. Everything ends with the test.
 */
export class Harness {
  readonly folder: string;
  readonly sandbox: SandboxView;
  readonly clock: TestClock;
  readonly deps: Dependencies;
  readonly activities: HostActivities & SharedActivities;
  /** First run ids of workflows that Temporal says are closed. */
  readonly terminated: Set<string>;
  /** Runs that the workflow `notify` was started for. */
  readonly announced: readonly NotifyInput[];
  /** Syncs that the workflow `resend` was started for. */
  readonly resending: readonly string[];
  readonly #rateLimiter: RateLimiter;

  private constructor(
    parts: Pick<
      Harness,
      "announced" | "clock" | "deps" | "folder" | "resending" | "sandbox" | "terminated"
    > & { readonly rateLimiter: RateLimiter },
  ) {
    this.#rateLimiter = parts.rateLimiter;
    this.folder = parts.folder;
    this.sandbox = parts.sandbox;
    this.clock = parts.clock;
    this.deps = parts.deps;
    this.terminated = parts.terminated;
    this.announced = parts.announced;
    this.resending = parts.resending;
    this.activities = activitiesOf(parts.deps);
  }

  static async open(settings: HarnessSettings): Promise<Harness> {
    const folder = await temporaryFolder();
    const files = { "sluice.yaml": settings.yaml, ...settings.files };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const sandbox = await SandboxView.start(join(folder, "sandbox"), settings.sandbox);
    const env = {
      SLUICE_BASE_URL: sandbox.address,
      SLUICE_API_KEY: harnessKey,
      CRM_DATABASE_URL: canaries.databaseUrl,
    };
    const config = await loadConfig({ cwd: folder, env, connectors: sources });
    const { hasThreads = false } = settings;
    const open = hasThreads ? openSqliteStore : openStoreInline;
    const state = await open(config.stateFolder);
    onTestFinished(async () => await state.close());

    const clock = new TestClock();
    const now = (): number => clock.nowMs;
    const { apiKey, requestsPerSecond, creditsRetryAfterMs, allowInsecureHosts } = config.api;
    const random = settings.random ?? (() => 0.5);
    const limits = { requestsPerSecond, creditsRetryAfterMs, clock: clock.moment, random };
    const rateLimiter = new StoreRateLimiter({ state, apiKey, ...limits });
    const address = new URL(sandbox.address);
    const addresses = { baseUrl: address, legacyBaseUrl: address };
    const api = createApiClient({ ...addresses, apiKey, allowInsecureHosts, rateLimiter, now });
    onTestFinished(async () => await api.close());
    const stageThreads = hasThreads ? createStageThreads(state) : stageInline(state);
    onTestFinished(async () => await stageThreads.close());
    const terminated = new Set<string>();
    const announced: NotifyInput[] = [];
    const resending: string[] = [];
    const notifier = createNotifier({ allowInsecureHosts, proxy: undefined });
    onTestFinished(async () => await notifier.close());
    const deps: Dependencies = {
      config,
      target: targetOf(config.api),
      state,
      api,
      sources,
      stageThreads,
      effect: runEffect,
      now,
      clock: clock.moment,
      stagingFolder: join(config.stateFolder, "staging"),
      hostId: "1",
      process: processName("1"),
      isProcessGone: (name) => isProcessGone(name, "1"),
      unnotedEnds: new Map(),
      hostQueue: "sluice-host-1",
      temporalId: "temporal default",
      isWorkflowOpen: async ({ firstRunId }) => !terminated.has(firstRunId),
      scheduleState: async () => ({ kind: "unknown" }),
      notifier,
      startResend: async (sync) => void resending.push(sync),
      startNotifying: async (input) => void announced.push(input),
      log: { info: refuseCanariesIn, warn: refuseCanariesIn },
    };
    return new Harness({
      folder,
      sandbox,
      clock,
      deps,
      rateLimiter,
      terminated,
      announced,
      resending,
    });
  }

  /** The same project with another `sluice.yaml`, as after a worker restart. */
  async withYaml(yaml: string): Promise<Harness> {
    await this.write("sluice.yaml", yaml);
    const env = {
      SLUICE_BASE_URL: this.sandbox.address,
      SLUICE_API_KEY: harnessKey,
      CRM_DATABASE_URL: canaries.databaseUrl,
    };
    const config = await loadConfig({ cwd: this.folder, env, connectors: sources });
    const deps = { ...this.deps, config, target: targetOf(config.api) };
    const { announced, clock, folder, resending, sandbox, terminated } = this;
    const parts = { announced, clock, folder, resending, sandbox, terminated };
    return new Harness({ ...parts, deps, rateLimiter: this.#rateLimiter });
  }

  /** The same project on another store, which the caller closes. */
  withState(state: StateStore): Harness {
    return this.with({ state, stageThreads: stageInline(state) });
  }

  /** The same project with some dependencies replaced. */
  with(changes: Partial<Dependencies>): Harness {
    const { announced, clock, folder, resending, sandbox, terminated } = this;
    const parts = { announced, clock, folder, resending, sandbox, terminated };
    const deps = { ...this.deps, ...changes };
    return new Harness({ ...parts, deps, rateLimiter: this.#rateLimiter });
  }

  /** The same project whose worker sends to another server, which is not known to be a sandbox. */
  sendingTo(address: string): Harness {
    const { announced, clock, folder, resending, sandbox, terminated } = this;
    const parts = { announced, clock, folder, resending, sandbox, terminated };
    const deps = { ...this.deps, api: this.clientOf(new URL(address)) };
    return new Harness({ ...parts, deps, rateLimiter: this.#rateLimiter });
  }

  get state(): StateStore {
    return this.deps.state;
  }

  /** The same activities with some dependencies replaced, for example a store that fails between two steps. */
  activitiesWith(changes: Partial<Dependencies>): HostActivities & SharedActivities {
    return activitiesOf({ ...this.deps, ...changes });
  }

  /** A client of another server, or with other timeouts, under the same rate limits. It closes with the test. */
  clientOf(baseUrl: URL, timeouts: Partial<Timeouts> = {}): ApiClient {
    const { apiKey, allowInsecureHosts } = this.deps.config.api;
    const now = (): number => this.clock.nowMs;
    const how = { apiKey, allowInsecureHosts, rateLimiter: this.#rateLimiter, now, timeouts };
    const client = createApiClient({ baseUrl, legacyBaseUrl: baseUrl, ...how });
    onTestFinished(async () => await client.close());
    return client;
  }

  /** Runs one attempt of an activity as a worker would. */
  async perform<Input, Result>(
    activity: (input: Input) => Promise<Result>,
    input: Input,
    how: Try = {},
  ): Promise<Result> {
    const { scheduleToCloseTimeoutMs = 12 * 3_600_000, ...named } = how;
    const nowMs = Date.now();
    const times = { scheduledTimestampMs: nowMs, currentAttemptScheduledTimestampMs: nowMs };
    const info = { ...times, ...named, scheduleToCloseTimeoutMs };
    const environment = new MockActivityEnvironment(info, { logger: quiet });
    tell("input", input);
    try {
      const result = await environment.run<[Input], Result, typeof activity>(activity, input);
      tell("result", result);
      return result;
    } catch (error) {
      tell("failure", error);
      throw error;
    }
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }
}

/** Everything an activity receives, returns and fails with is kept by Temporal. */
function tell(what: "failure" | "input" | "result", told: unknown): void {
  const text = inspect(told, { depth: 20, maxStringLength: null });
  refuseCanaries({ what: `the ${what} of an activity`, text });
}

function activitiesOf(deps: Dependencies): HostActivities & SharedActivities {
  return { ...createHostActivities(deps), ...createSharedActivities(deps) };
}

/** The failure that an activity ends with; any other end fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await work.then(
    () => new Error("expected a failure"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApplicationFailure) return error;
  throw error;
}

/** Dependencies of a worker that dies at its first call of this method of the store. */
export function dyingAt(
  { deps }: Pick<Harness, "deps">,
  method: keyof StateClient,
): Pick<Dependencies, "state"> {
  let isDead = false;
  const dies = async (): Promise<never> => {
    isDead = true;
    throw new StateUnavailableError("the worker died here");
  };
  const get = (state: StateStore, name: string): unknown =>
    name === method && !isDead ? dies : Reflect.get(state, name);
  return { state: new Proxy(deps.state, { get }) };
}

/** Dependencies of a worker whose store performs the first such call, and loses the answer with its connection. */
export function losingAnswerOf(
  { deps }: Pick<Harness, "deps">,
  method: keyof StateClient,
): Pick<Dependencies, "state"> {
  let isLost = false;
  const lose = async (...input: unknown[]): Promise<never> => {
    isLost = true;
    const called: unknown = Reflect.get(deps.state, method);
    if (typeof called === "function") await Reflect.apply(called, deps.state, input);
    throw new StateUnavailableError("the connection was lost here");
  };
  const get = (state: StateStore, name: string): unknown =>
    name === method && !isLost ? lose : Reflect.get(state, name);
  return { state: new Proxy(deps.state, { get }) };
}

/** The head of a harness's `sluice.yaml`: the sandbox, from the environment. */
export const harnessHead = `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  allow_insecure_hosts: ["\${CRM_DATABASE_URL}"]
  requests_per_second: 1000000
`;

/** A `sluice.yaml` for accounts from `accounts.csv`; `sync` holds more members of the sync, one a line. */
export function accountsYaml(...sync: readonly string[]): string {
  return `${harnessHead}connections:
  exports: { connector: csv, path: accounts.csv }
syncs:
  accounts:
    from: exports
    stream: account
    record:
      account_id: id
      domain: domain
      account_properties: { name: name }
${sync.map((member) => `    ${member}\n`).join("")}`;
}

/** A CSV file of this many accounts, a0 in line 2; `nameOf` gives each its name. */
export function accountsCsv(rows: number, nameOf = (row: number): string => `name ${row}`): string {
  const lines = Array.from({ length: rows }, (_, row) => `a${row},c${row}.example,${nameOf(row)}`);
  return ["id,domain,name", ...lines, ""].join("\n");
}

function refuseCanariesIn(...line: unknown[]): void {
  refuseCanaries({ what: "a log line", text: JSON.stringify(line) });
}
