import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { activityInfo } from "@temporalio/activity";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";

import { activityPhrases } from "../../../src/text/activity-phrases.ts";
import { ownNamespace, type OwnTemporal } from "./own-namespace.ts";
import { installQuietRuntime } from "./quiet-runtime.ts";
import { workflowBundle } from "./workflow-bundle.ts";

/** The queue for activities that any worker may run, in a project that configures none. */
export const taskQueue = "sluice";

/** The queue for activities that touch staged files. */
export const hostQueue = "sluice-host-1";

/** An activity that a workflow calls. */
export type Call = {
  readonly name: string;
  readonly workflowId: string;
  /** The calling execution. */
  readonly execution: string;
};

/** Performs the activities of the project under test. */
export type Perform = (call: Call, input: unknown) => Promise<unknown>;

/** A real Temporal and a worker in this process that performs the activities of several projects. */
export class World {
  readonly client: Client;
  readonly #performing: Map<string, Perform>;
  readonly #close: () => Promise<void>;
  readonly #closing = new AbortController();
  readonly #polls: Promise<unknown>[] = [];

  private constructor(parts: {
    connected: OwnTemporal;
    performing: Map<string, Perform>;
    close: () => Promise<void>;
  }) {
    this.client = parts.connected.client;
    this.#performing = parts.performing;
    this.#close = parts.close;
  }

  /** Starts both. The caller closes it. */
  static async start(): Promise<World> {
    installQuietRuntime();
    const folder = await mkdtemp(join(tmpdir(), "sluice-world-"));
    const connected = await ownNamespace(folder);
    const performing = new Map<string, Perform>();
    const stopWorkers = await startWorkers(connected, performing);
    const close = async (): Promise<void> => {
      await stopWorkers();
      await connected.close();
      await rm(folder, { recursive: true, force: true });
    };
    return new World({ connected, performing, close });
  }

  /** Makes a project perform the activities of workflows whose ids begin with `prefix`. */
  doneBy(prefix: string, by: Perform): void {
    this.#performing.set(prefix, by);
  }

  /** Waits for a workflow that may not end before this closes: polling a closed connection would end the process. */
  async untilOver(handle: WorkflowHandle): Promise<void> {
    const polling = this.client.withAbortSignal(this.#closing.signal, async () => {
      await handle.result();
    });
    const over = polling.catch(() => undefined);
    this.#polls.push(over);
    await over;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#polls);
    await this.#close();
  }
}

async function startWorkers(
  { address, namespace }: OwnTemporal,
  performing: ReadonlyMap<string, Perform>,
): Promise<() => Promise<void>> {
  const perform = async (name: string, input: unknown): Promise<unknown> => {
    const { workflowId = "", runId: execution = "" } = activityInfo().workflowExecution ?? {};
    const by = performing.get(workflowId.split(".")[0] ?? "");
    if (by === undefined) throw new Error(`nobody does ${name} of ${workflowId}`);
    return await by({ name, workflowId, execution }, input);
  };
  const activities = Object.fromEntries(
    Object.keys(activityPhrases).map((name) => [
      name,
      async (input: unknown) => await perform(name, input),
    ]),
  );
  const connection = await NativeConnection.connect({ address });
  const shared = {
    connection,
    namespace,
    activities,
    maxHeartbeatThrottleInterval: "50ms",
    shutdownForceTime: "5 seconds",
  } as const;
  const workers = await Promise.all([
    Worker.create({ ...shared, taskQueue, workflowBundle: await workflowBundle() }),
    Worker.create({ ...shared, taskQueue: hostQueue }),
  ]);
  const ended = Promise.all(workers.map(async (worker) => await worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await ended;
    await connection.close();
  };
}
