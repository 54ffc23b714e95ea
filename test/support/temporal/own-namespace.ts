import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { Client, Connection, isGrpcServiceError } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time.js";

import { connectTemporal, type TemporalClient } from "../../../src/local/connect.ts";
import { until } from "../process/process.ts";
import { startAnyTemporal } from "./any-temporal.ts";

/** The variable with the address of the Temporal server that the tests of a run share: "127.0.0.1:40123". */
export const sharedTemporalVariable = "SLUICE_TEST_TEMPORAL";

/** Temporal's number for a search attribute of type Keyword. */
const keyword = 2;

/** gRPC's status for something that does not exist. */
const notFound = "5";

/** A Temporal that nobody else uses: a namespace, or a whole server. */
export type OwnTemporal = TemporalClient & {
  /** "127.0.0.1:40123" */
  readonly address: string;
  readonly namespace: string;
  /** The server's Web UI, if the server is its own. */
  readonly uiAddress?: string;
};

/**
 * Gives a test a namespace of the server that all tests share: a server for each took a third of their time. The caller
 * closes it. A script, which has no shared server, gets a server.
 */
export async function ownNamespace(folder: string): Promise<OwnTemporal> {
  const address = process.env[sharedTemporalVariable];
  if (address === undefined) return await ownServer(folder);
  const connection = await Connection.connect({ address });
  const namespace = `test-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs("1 day"),
  });
  await until(async () => await hasSearchAttribute(connection, namespace));
  const client = new Client({ connection, namespace });
  return { address, namespace, client, close: async () => await connection.close() };
}

/** Gives a test a server of its own, to stop it or see its Web UI; its log is `temporal.log` in `folder`. */
export async function ownServer(folder: string): Promise<OwnTemporal> {
  const server = await startAnyTemporal({ logFile: join(folder, "temporal.log") });
  const { client, close } = await connectTemporal(server.address);
  const { address, uiAddress } = server;
  const closeBoth = async (): Promise<void> => {
    await close();
    await server.stop();
  };
  return { address, uiAddress, namespace: "default", client, close: closeBoth };
}

/** A newly registered namespace is not known at once. */
async function hasSearchAttribute(connection: Connection, namespace: string): Promise<boolean> {
  try {
    const searchAttributes = { SluiceSync: keyword };
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && String(error.code) === notFound) return false;
    throw error;
  }
}
