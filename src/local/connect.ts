import {
  Client,
  Connection,
  WorkflowNotFoundError,
  type ConnectionOptions,
} from "@temporalio/client";
import { loadClientConnectConfig } from "@temporalio/envconfig";

import { ConfigError, messageOf, TemporalUnreachableError } from "../errors.ts";
import type { LockHolder } from "../state/locks.ts";

/** A connection to Temporal as commands use it. */
export type TemporalClient = { readonly client: Client; readonly close: () => Promise<void> };

/** How to connect: as TEMPORAL_ADDRESS, a profile and their kin say, or to `address` alone. */
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

/** Connects a client. @throws {TemporalUnreachableError} nothing answers there. */
export async function connectTemporal(address: string | undefined): Promise<TemporalClient> {
  const { connectionOptions, namespace = "default" } = temporalOptions(address);
  try {
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: "5s" });
    return {
      client: new Client({ connection, namespace }),
      close: async () => await connection.close(),
    };
  } catch (error) {
    throw new TemporalUnreachableError(
      `cannot reach Temporal at ${connectionOptions.address ?? "localhost:7233"}: ${messageOf(error)}`,
      {
        cause: error,
        hint: "check TEMPORAL_ADDRESS, or unset it to let sluice start a server of its own",
      },
    );
  }
}

/**
 * Whether the workflow that holds a lock is still open: the newest execution of its id runs and descends from the same
 * first run. A server that does not know it (another server, a deleted history) says that it is closed.
 */
export async function isWorkflowOpen(
  client: Client,
  { workflowId, firstRunId }: Pick<LockHolder, "workflowId" | "firstRunId">,
): Promise<boolean> {
  try {
    const { status, raw } = await client.workflow.getHandle(workflowId).describe();
    const first = raw.workflowExecutionInfo?.firstRunId;
    return status.name === "RUNNING" && (first === firstRunId || first === "");
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
