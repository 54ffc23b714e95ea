import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { Secret } from "../../../src/security/secret.ts";
import { migrateStore } from "../../../src/state/postgres/migrate.ts";
import type { StoreServer } from "../../../src/state/postgres/server.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { bin } from "../../support/project/project.ts";
import { Way } from "../../support/way.ts";
import { deliveredRecord, DeliveryMaker } from "../../support/webhooks/signed-delivery.ts";
import { clockAhead } from "../world/clock.ts";
import { type Exit, Running } from "../world/program.ts";
import { chaosHead, heartbeatTimeoutMs } from "../world/project.ts";
import { hostLostAfterMs, receiversOfHosts, workersOfHosts } from "./plan.ts";

const path = "/hooks/forms";
const secret = `whsec_${Buffer.from("canary-webhook-secret-of-hosts").toString("base64")}`;

/** Longer than a worker's grace. */
const closeMsMax = 45_000;

/** How long a process may be unable to start because the store is away. */
const beginMsMax = 120_000;

/** Where the hosts are. */
export type HostsPlace = {
  /** An existing folder, which takes the project, each host's own folder, logs and the sandbox's data. */
  readonly folder: string;
  readonly temporalAddress: string;
  readonly queue: string;
  /** The database of the store. */
  readonly storeUrl: string;
  readonly clockHours: readonly number[];
};

/** A worker's proxies to the servers. */
type Ways = Readonly<Record<"store" | "temporal", Way>>;

/**
 * Workers and receivers, each with a state folder of its own, on one store in Postgres, and a sandbox. A host whose
 * process ends is restarted. Temporal and Postgres belong to the caller, who also closes this.
 */
export class HostsSystem {
  readonly logFiles: string[] = [];
  /** How the processes ended that had started. */
  readonly exits: Exit[] = [];
  readonly #place: HostsPlace;
  readonly #sandboxPort: number;
  readonly receiverPorts: readonly number[];
  /** For each worker. */
  readonly #ways: Ways[] = [];
  readonly #running = new Map<string, Running>();
  readonly #keepers: Promise<void>[] = [];
  #isClosed = false;

  private constructor(place: HostsPlace, [sandboxPort = 0, ...ports]: readonly number[]) {
    this.#place = place;
    this.#sandboxPort = sandboxPort;
    this.receiverPorts = ports;
  }

  /** Makes the store's tables, writes the project and starts everything. */
  static async start(place: HostsPlace, rows: string): Promise<HostsSystem> {
    const system = new HostsSystem(place, await keptPorts(1 + receiversOfHosts));
    await migrateStore(system.server);
    await writeFile(join(place.folder, "sluice.yaml"), system.#config());
    await system.writeRows(rows);
    const { host: store } = new URL(place.storeUrl);
    for (let host = 0; host < workersOfHosts; host += 1) {
      const [toStore, toTemporal] = await Promise.all([
        Way.to(store),
        Way.to(place.temporalAddress),
      ]);
      system.#ways.push({ store: toStore, temporal: toTemporal });
    }
    const sandbox = ["sandbox", "--port", `${system.#sandboxPort}`, "--data", system.dataFolder];
    try {
      await system.#start("sandbox", { args: [...sandbox, "--json"], ready: '"ready":true' });
      const workers = Array.from({ length: workersOfHosts }, (_, host) => `worker-${host}`);
      const receivers = system.receiverPorts.map((_, host) => `receiver-${host}`);
      await Promise.all([...workers, ...receivers].map(async (name) => await system.begin(name)));
      return system;
    } catch (error) {
      await system.close();
      throw error;
    }
  }

  get server(): StoreServer {
    return { url: new Secret(this.#place.storeUrl), schema: "sluice", project: "chaos" };
  }

  /** The sandbox's data folder. */
  get dataFolder(): string {
    return join(this.#place.folder, "sandbox");
  }

  get sandboxAddress(): string {
    return `http://127.0.0.1:${this.#sandboxPort}`;
  }

  /** Makes deliveries that the receivers accept, whose ids begin with this name. */
  maker(name: string): DeliveryMaker {
    return new DeliveryMaker({ path, secret, name });
  }

  /** Replaces the rows that the sync reads. */
  async writeRows(rows: string): Promise<void> {
    await writeFile(join(this.#place.folder, "accounts.csv"), rows);
  }

  /** Starts the process of a host; retries while the store is away. */
  async begin(name: string): Promise<void> {
    const host = Number(name.split("-").at(-1));
    const how = name.startsWith("worker")
      ? {
          args: ["worker"],
          ready: "worker started",
          hours: this.#place.clockHours[host],
          ways: this.#ways[host],
        }
      : {
          args: ["webhooks", "--port", `${this.receiverPorts[host]}`, "--json"],
          ready: '"ready":true',
          hours: this.#place.clockHours[host],
        };
    const giveUpAt = performance.now() + beginMsMax;
    for (;;) {
      try {
        await this.#start(name, how);
        return;
      } catch (error) {
        await this.#running.get(name)?.end("SIGKILL");
        if (performance.now() > giveUpAt) throw error;
        await delay(500);
      }
    }
  }

  /** Kills the process of a host without warning, with its disk if `losesDisk`, and restarts it. */
  async kill(name: string, { losesDisk = false } = {}): Promise<void> {
    await this.#running.get(name)?.end("SIGKILL");
    if (losesDisk) await rm(this.#stateOf(name), { recursive: true, force: true });
    await this.begin(name);
  }

  /** Stops the process of a host for twice the heartbeat timeout. */
  async pause(name: string): Promise<void> {
    const running = this.#running.get(name);
    running?.send("SIGSTOP");
    await delay(2 * heartbeatTimeoutMs);
    running?.send("SIGCONT");
  }

  /** Silences a worker's connection to a server for this long. */
  async cut(host: number, from: keyof Ways, silentMs: number): Promise<void> {
    const way = this.#ways[host]?.[from];
    way?.let("silent");
    await delay(silentMs);
    way?.let("open");
  }

  /** Runs the program to its end, on a host of its own. */
  async sluice(...args: string[]): Promise<Exit & { readonly printed: string }> {
    const running = await this.#start(`command-${this.logFiles.length}`, { args, ready: "" });
    return { ...(await running.exit), printed: await running.log() };
  }

  /** The sandbox's records of a stream. */
  async records(stream: string): Promise<readonly unknown[]> {
    const answer = await fetch(`${this.sandboxAddress}/_sandbox/records?stream=${stream}`);
    const lines = (await answer.text()).split("\n").filter((line) => line !== "");
    return lines.map((line): unknown => JSON.parse(line));
  }

  /** Ends everything: by SIGTERM, and what does not end in time by SIGKILL. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const ends = [...this.#running.values()].map(async (running) => {
      const timer = setTimeout(() => void running.end("SIGKILL"), closeMsMax);
      await running.end("SIGTERM");
      clearTimeout(timer);
    });
    await Promise.all([...ends, ...this.#keepers]);
    for (const { store, temporal } of this.#ways) {
      store.end();
      temporal.end();
    }
  }

  #stateOf(name: string): string {
    return join(this.#place.folder, `state-${name}`);
  }

  #config(): string {
    const config = {
      ...chaosHead({ address: this.sandboxAddress, queue: this.#place.queue }),
      store: { url: "${STORE_URL}", project: "chaos" },
      connections: {
        forms: { connector: "webhook", path, secret },
        exports: { connector: "csv", path: "accounts.csv" },
      },
      syncs: {
        events: { from: "forms", stream: "account_event", record: deliveredRecord },
        accounts: {
          from: "exports",
          stream: "account",
          mode: "heavyweight",
          chunk: { records: 250 },
          record: { account_id: "id", domain: "domain", account_properties: { name: "name" } },
        },
      },
      advanced: {
        heartbeat_timeout: `${heartbeatTimeoutMs}ms`,
        host_lost_after: `${hostLostAfterMs}ms`,
        retry_initial: "500ms",
        retry_max: "2s",
        schedule_to_start: "20s",
      },
    };
    // JSON is valid YAML.
    return JSON.stringify(config, undefined, 2);
  }

  async #start(
    name: string,
    how: {
      readonly args: readonly string[];
      readonly ready: string;
      readonly hours?: number | undefined;
      readonly ways?: Ways | undefined;
    },
  ): Promise<Running> {
    const { folder, temporalAddress, storeUrl } = this.#place;
    const { store, temporal } = how.ways ?? {};
    const url = new URL(storeUrl);
    if (store !== undefined) url.host = store.address;
    const logFile = join(folder, `${name}.${this.logFiles.length}.log`);
    this.logFiles.push(logFile);
    await mkdir(this.#stateOf(name), { recursive: true });
    const running = await Running.start(
      {
        name,
        command: [process.execPath, bin, ...how.args],
        cwd: folder,
        env: {
          PATH: process.env["PATH"],
          HOME: process.env["HOME"],
          TEMPORAL_ADDRESS: temporal?.address ?? temporalAddress,
          STORE_URL: url.href,
          SLUICE_STATE_DIR: this.#stateOf(name),
          ...clockAhead(how.hours ?? 0),
        },
        logFile,
        ready: how.ready,
      },
      (started) => {
        this.#running.set(name, started);
      },
    );
    if (how.ready !== "")
      this.#keepers.push(running.exit.then((exit) => void this.exits.push(exit)));
    return running;
  }
}
