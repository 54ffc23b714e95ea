import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { canaries } from "../../support/canaries.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { bin } from "../../support/project/project.ts";
import { deliveredRecord, DeliveryMaker } from "../../support/webhooks/signed-delivery.ts";
import { type Exit, Running } from "../world/program.ts";
import { chaosHead } from "../world/project.ts";

const path = "/hooks/forms";
const secret = `whsec_${Buffer.from("canary-webhook-secret-of-chaos").toString("base64")}`;

/** The texts that no log may hold. */
export const secrets: readonly string[] = [canaries.apiKey, secret];

/** Longer than a worker's grace. */
const closeMsMax = 45_000;

/** Where a system is. */
export type SystemPlace = {
  /** An existing folder: the project, its state folder `.sluice`, the logs and the sandbox's data. */
  readonly folder: string;
  readonly temporalAddress: string;
  /** On a Temporal that others may use too. */
  readonly queue: string;
};

/**
 * Everything that an event passes through, each a process of the built program: the receiver, a worker and the sandbox.
 * Temporal belongs to the caller, who also closes this.
 */
export class WebhookSystem {
  readonly logFiles: string[] = [];
  readonly exits: Exit[] = [];
  readonly #place: SystemPlace;
  readonly #receiverPort: number;
  readonly #sandboxPort: number;
  readonly #all = new Set<Running>();
  readonly #keepers: Promise<void>[] = [];
  #receiver: Running | undefined;
  #isClosed = false;

  private constructor(place: SystemPlace, [receiverPort = 0, sandboxPort = 0]: readonly number[]) {
    this.#place = place;
    this.#receiverPort = receiverPort;
    this.#sandboxPort = sandboxPort;
  }

  /** Writes the project and starts its processes, the receiver last. */
  static async start(place: SystemPlace): Promise<WebhookSystem> {
    const system = new WebhookSystem(place, await keptPorts(2));
    await mkdir(system.stateFolder, { recursive: true });
    await writeFile(join(place.folder, "sluice.yaml"), system.#config());
    const sandbox = ["sandbox", "--port", `${system.#sandboxPort}`, "--data", system.dataFolder];
    try {
      await Promise.all([
        system.#start("sandbox", { args: [...sandbox, "--json"], ready: '"ready":true' }),
        system.#start("worker-0", { args: ["worker"], ready: "worker started" }),
      ]);
      await system.startReceiver();
      return system;
    } catch (error) {
      await system.close();
      throw error;
    }
  }

  get stateFolder(): string {
    return join(this.#place.folder, ".sluice");
  }

  /** The sandbox's data folder. */
  get dataFolder(): string {
    return join(this.#place.folder, "sandbox");
  }

  get receiverPort(): number {
    return this.#receiverPort;
  }

  /** The process number of the receiver. */
  get receiverPid(): number {
    if (this.#receiver === undefined) throw new Error("there is no receiver");
    return this.#receiver.pid;
  }

  /** Makes deliveries that this receiver accepts. */
  maker(): DeliveryMaker {
    return new DeliveryMaker({ path, secret, name: "event" });
  }

  /** Starts the receiver, always on the same port. */
  async startReceiver(): Promise<void> {
    this.#receiver = await this.#start("receiver", {
      args: ["webhooks", "--port", `${this.#receiverPort}`, "--json"],
      ready: '"ready":true',
    });
  }

  /** Kills the receiver without warning. */
  async killReceiver(): Promise<void> {
    await this.#receiver?.end("SIGKILL");
  }

  /** Ends everything: by SIGTERM, and what does not end in time by SIGKILL. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const left = [...this.#all].filter(({ isGone }) => !isGone);
    const ends = left.map(async (running) => {
      const timer = setTimeout(() => void running.end("SIGKILL"), closeMsMax);
      await running.end("SIGTERM");
      clearTimeout(timer);
    });
    await Promise.all([...ends, ...this.#keepers]);
  }

  #config(): string {
    const address = `http://127.0.0.1:${this.#sandboxPort}`;
    const config = {
      ...chaosHead({ address, queue: this.#place.queue }),
      connections: { forms: { connector: "webhook", path, secret } },
      syncs: { events: { from: "forms", stream: "account_event", record: deliveredRecord } },
      advanced: { heartbeat_timeout: "3s", retry_initial: "500ms", retry_max: "2s" },
    };
    // JSON is valid YAML.
    return JSON.stringify(config, undefined, 2);
  }

  async #start(
    name: string,
    { args, ready }: { readonly args: readonly string[]; readonly ready: string },
  ): Promise<Running> {
    if (this.#isClosed) throw new Error("the system is closed");
    const { folder, temporalAddress } = this.#place;
    const logFile = join(folder, `${name}.${this.logFiles.length}.log`);
    this.logFiles.push(logFile);
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TEMPORAL_ADDRESS: temporalAddress,
    };
    const command = [process.execPath, bin, ...args] as const;
    return await Running.start({ name, command, cwd: folder, env, logFile, ready }, (running) => {
      this.#all.add(running);
      this.#keepers.push(this.#record(running));
    });
  }

  async #record(running: Running): Promise<void> {
    this.exits.push(await running.exit);
  }
}
