import type { ChildProcess } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { bin } from "../built.ts";
import { cpuSecondsOf, end, firstJson, peakRssBytes, start } from "../child.ts";
import { benchApiKey, compareRecordsAt, requestsPerSecond } from "../project.ts";
import { runSync, temporalAt, type WholeRun } from "../whole-run.ts";
import { accountMapping } from "../workloads/account-mapping.ts";

/** Syncs by name: the CSV that each reads, and its `send` mode. */
export type CsvSyncs = Readonly<
  Record<string, { readonly csv: string; readonly send: "all" | "changed" }>
>;

/** The content of sluice.yaml for a service and for syncs that read a file each. */
export function projectConfig({
  baseUrl,
  syncs,
}: {
  readonly baseUrl: string;
  readonly syncs: CsvSyncs;
}): string {
  const all = Object.entries(syncs);
  const api = {
    base_url: baseUrl,
    legacy_base_url: baseUrl,
    api_key: benchApiKey,
    requests_per_second: requestsPerSecond,
  };
  // JSON is YAML.
  return JSON.stringify({
    version: 1,
    api,
    connections: Object.fromEntries(
      all.map(([name, { csv }]) => [name, { connector: "csv", path: csv }]),
    ),
    syncs: Object.fromEntries(
      all.map(([name, { send }]) => [
        name,
        { from: { connection: name }, stream: "account", record: accountMapping, send },
      ]),
    ),
  });
}

const ready = z.object({ address: z.string() });

/** A project whose service and Temporal run as processes of their own, so that a run's figures are its own. */
export class ServedProject {
  readonly #folder: string;
  readonly #sandbox: ChildProcess;
  readonly #temporal: ChildProcess;
  readonly #temporalAddress: string;
  readonly #sandboxAddress: string;
  #worker: ChildProcess | undefined;

  private constructor(parts: {
    folder: string;
    sandbox: ChildProcess;
    temporal: ChildProcess;
    temporalAddress: string;
    sandboxAddress: string;
  }) {
    this.#folder = parts.folder;
    this.#sandbox = parts.sandbox;
    this.#temporal = parts.temporal;
    this.#temporalAddress = parts.temporalAddress;
    this.#sandboxAddress = parts.sandboxAddress;
  }

  /** Makes the project in a folder that does not exist yet, and starts its servers; `close` ends them. */
  static async open(folder: string, syncs: CsvSyncs): Promise<ServedProject> {
    await mkdir(folder);
    const data = ["--port", "0", "--data", "sandbox", "--json"];
    const sandbox = start([bin, "sandbox", ...data], folder);
    try {
      const { address: sandboxAddress } = ready.parse(await firstJson(sandbox));
      const config = projectConfig({ baseUrl: sandboxAddress, syncs });
      await writeFile(join(folder, "sluice.yaml"), config);
      const temporal = start([bin, "temporal", "start", "--json"], folder);
      const { address: temporalAddress } = ready.parse(await firstJson(temporal));
      return new ServedProject({ folder, sandbox, temporal, temporalAddress, sandboxAddress });
    } catch (error) {
      await end(sandbox);
      throw error;
    }
  }

  /** Starts a worker; later runs wait until it is ready, and leave the work to it. */
  startWorker(...options: readonly string[]): void {
    const command = temporalAt(this.#temporalAddress, [
      process.execPath,
      bin,
      "worker",
      ...options,
    ]);
    this.#worker = start(command, this.#folder, { program: "env" });
  }

  /** Processor seconds of the worker so far; 0 without one. */
  async workerCpuSeconds(): Promise<number> {
    return this.#worker === undefined ? 0 : await cpuSecondsOf(this.#worker);
  }

  /** The most memory that the worker ever held, in bytes; 0 without one. */
  async workerRssBytes(): Promise<number> {
    return this.#worker === undefined ? 0 : ((await peakRssBytes(this.#worker)) ?? 0);
  }

  /** Runs a sync as a user does. @throws {Error} it did not end well, or read or sent other numbers of rows. */
  async run(
    sync: string,
    wanted: { readonly rows: number; readonly sent: number },
  ): Promise<WholeRun> {
    const worker = this.#worker === undefined ? {} : { temporalAddress: this.#temporalAddress };
    const ran = await runSync(this.#folder, sync, { program: bin, ...worker });
    const { outcome, counts } = ran.report;
    if (ran.code !== 0 || counts.read !== wanted.rows || counts.sent !== wanted.sent) {
      const found = `${outcome}, ${counts.read} read, ${counts.sent} sent, exit ${ran.code}`;
      throw new Error(`sluice run ${sync}: ${found}, and not ${wanted.sent} sent`);
    }
    return ran;
  }

  /** The service's address. */
  get serviceAddress(): string {
    return this.#sandboxAddress;
  }

  /** Compares the service's records with a CSV's; see `compareRecordsAt`. */
  async compareRecords(csv: string): Promise<number> {
    return await compareRecordsAt(this.#sandboxAddress, csv);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    if (this.#worker !== undefined) await end(this.#worker);
    await end(this.#temporal);
    await end(this.#sandbox);
  }
}
