import {
  Client,
  Connection,
  WorkflowNotFoundError,
  type ConnectionOptions,
  type WorkflowExecutionDescription,
} from "@temporalio/client";
import { loadClientConnectConfig } from "@temporalio/envconfig";

import { ConfigError, messageOf, TemporalUnreachableError } from "../errors.ts";
import type { LockHolder } from "../state/contract/runs/locks.ts";
import { whyUnreachable } from "./why-unreachable.ts";

/** A connection to Temporal as commands use it. */
export type TemporalClient = { readonly client: Client; readonly close: () => Promise<void> };

/** Connection options from TEMPORAL_ADDRESS, a profile and the other TEMPORAL_ variables, or `address` alone. */
export function temporalOptions(address: string | undefined): {
  readonly connectionOptions: Pick<ConnectionOptions, "address" | "metadata" | "tls"> & {
    readonly apiKey?: string;
  };
  readonly namespace?: string | undefined;
} {
  if (address !== undefined) return { connectionOptions: { address }, namespace: "default" };
  const { connectionOptions, namespace } = readProfile();
  const { address: configured, apiKey, metadata, tls } = connectionOptions;
  return {
    connectionOptions: {
      ...(configured === undefined ? {} : { address: configured }),
      ...(typeof apiKey === "string" ? { apiKey } : {}),
      ...(metadata === undefined ? {} : { metadata }),
      ...(tls === undefined ? {} : { tls }),
    },
    namespace,
  };
}

function readProfile(): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig();
  } catch (error) {
    throw new ConfigError(`the settings of Temporal: ${messageOf(error)}`, {
      cause: error,
      hint: "check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the TEMPORAL_TLS_… variables",
    });
  }
}

/** How long a command waits for a connection to Temporal. */
const connectMsMax = 5_000;

/** Connects a client. @throws {TemporalUnreachableError} nothing answers there. */
export async function connectTemporal(
  address: string | undefined,
  connectTimeout = connectMsMax,
): Promise<TemporalClient> {
  const { connectionOptions, namespace = "default" } = temporalOptions(address);
  try {
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout });
    return {
      client: new Client({ connection, namespace }),
      close: async () => await connection.close(),
    };
  } catch (error) {
    const at = connectionOptions.address ?? "localhost:7233";
    throw new TemporalUnreachableError(
      `cannot reach Temporal at ${at}: ${await whyUnreachable(at, error)}`,
      {
        cause: error,
        hint: "check TEMPORAL_ADDRESS, or unset it to let sluice start a server of its own",
      },
    );
  }
}

/** The run id of the first execution that an execution descends from, read from its history. */
async function firstRunIdOf(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: 1,
  });
  const [started] = history?.events ?? [];
  return started?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
}

/** Whether a workflow has not ended. One that somebody paused in Temporal continues once it is unpaused. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, "status">): boolean {
  return status.name === "RUNNING" || status.name === "PAUSED";
}

/**
 * Whether the workflow that holds a lock is still open: the newest execution of its id is and descends from the same
 * first run. If the server does not know it (another server, a deleted history), it counts as closed.
 */
export async function isWorkflowOpen(
  client: Client,
  { workflowId, firstRunId }: Pick<LockHolder, "workflowId" | "firstRunId">,
): Promise<boolean> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const described = await handle.describe();
    if (!isOpen(described)) return false;
    const { raw, runId } = described;
    // A server before 1.21 does not report it here; the first event of the history has it.
    const told = raw.workflowExecutionInfo?.firstRunId ?? "";
    return (told === "" ? await firstRunIdOf(client, { workflowId, runId }) : told) === firstRunId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
