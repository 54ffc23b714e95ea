import { existsSync } from "node:fs";

import { isLoopback } from "../../api/http/address.ts";
import type { Config } from "../../config/config.ts";
import type { ConfigError } from "../../errors.ts";
import { temporalRecord, whyOtherTemporal } from "../../hosts/store-guards.ts";
import { connectTemporal, type TemporalClient } from "../../local/connect.ts";
import { findService } from "../../local/shared-service.ts";
import { isListening, temporalAnswers } from "../../local/temporal-server.ts";
import type { TemporalRecord } from "../../state/contract/runs/hosts.ts";
import type { Context } from "../output/context.ts";
import { defaultTemporal, historiesFile, isTemporalConfigured } from "./services.ts";

/**
 * A Temporal that answers. `isFound`: it only listens on the default address, and may be another project's. `address`
 * undefined is as TEMPORAL_ADDRESS and related variables say.
 */
export type ReachedTemporal = TemporalClient & {
  readonly isFound: boolean;
  readonly address: string | undefined;
};

/**
 * Connects to the Temporal that a run of this project would use, where it answers; nothing is started.
 * Undefined where nobody says which it is and none listens.
 * @throws {TemporalUnreachableError} the one that is meant does not answer.
 */
export async function reachTemporal(
  { stateFolder }: Pick<Config, "stateFolder">,
  context: Pick<Context, "environment">,
  connectMs?: number,
): Promise<ReachedTemporal | undefined> {
  const isConfigured = isTemporalConfigured(context);
  const embedded = findService({ folder: stateFolder, name: "temporal" })?.addresses["grpc"];
  // A server that is just stopping keeps its record for a moment.
  if (!isConfigured && embedded !== undefined && !(await isListening(embedded))) return undefined;
  if (isConfigured || embedded !== undefined) {
    const address = isConfigured ? undefined : embedded;
    return { ...(await connectTemporal(address, connectMs)), address, isFound: false };
  }
  if (!(await temporalAnswers(defaultTemporal))) return undefined;
  const address = defaultTemporal;
  return { ...(await connectTemporal(address, connectMs)), address, isFound: true };
}

/** Whether a Temporal is the embedded server of a project: where it is stopped, the next run starts it again. */
export function isOwnServer(
  { stateFolder }: Pick<Config, "stateFolder">,
  { at }: TemporalRecord,
): boolean {
  return isLoopback(at.replace(/:\d+$/, "")) && existsSync(historiesFile(stateFolder));
}

/**
 * Why the Temporal that was reached is not the one that a store is used with. Undefined where it is, and where it only
 * listens on the default address while the project's own is stopped: nobody means to use it.
 */
export function whyOtherReached(
  config: Pick<Config, "stateFolder">,
  used: TemporalRecord | undefined,
  reached: Pick<ReachedTemporal, "address" | "isFound"> & { readonly temporalId: string },
): ConfigError | undefined {
  if (reached.isFound && used !== undefined && isOwnServer(config, used)) return undefined;
  return whyOtherTemporal(used, temporalRecord(reached.temporalId, reached.address));
}
