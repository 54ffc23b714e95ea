import { existsSync } from "node:fs";

import { isLoopback } from "../../api/http/address.ts";
import type { Config } from "../../config/config.ts";
import { type ConfigError, TemporalUnreachableError } from "../../errors.ts";
import { temporalRecord, whyOtherTemporal } from "../../hosts/store-guards.ts";
import { connectTemporal, type TemporalClient } from "../../local/connect.ts";
import { findService } from "../../local/shared-service.ts";
import { isListening, temporalAnswers } from "../../local/temporal-server.ts";
import type { TemporalRecord } from "../../state/contract/runs/hosts.ts";
import type { Context } from "../output/context.ts";
import { defaultTemporal, historiesFile, isTemporalConfigured } from "./services.ts";

/**
 * A Temporal that answers. `isFound`: it only listens on the default address, and may be another project's. An
 * undefined `address` is the one that TEMPORAL_ADDRESS and related variables give.
 */
export type ReachedTemporal = TemporalClient & {
  readonly isFound: boolean;
  readonly address: string | undefined;
};

/**
 * Connects to the Temporal that a run of this project would use, if it answers; starts nothing. Undefined if none is
 * named and none listens.
 * @throws {TemporalUnreachableError} the one that is meant does not answer.
 */
export async function reachTemporal(
  { stateFolder }: Pick<Config, "stateFolder">,
  context: Pick<Context, "environment">,
  connectMs?: number,
): Promise<ReachedTemporal | undefined> {
  const isConfigured = isTemporalConfigured(context);
  const own = findService({ folder: stateFolder, name: "temporal" });
  const embedded = own?.addresses["grpc"];
  // A server that is stopping keeps its record for a moment.
  if (!isConfigured && embedded !== undefined && !(await isListening(embedded))) return undefined;
  if (isConfigured || embedded !== undefined) {
    const address = isConfigured ? undefined : embedded;
    const connecting = connectTemporal(address, connectMs);
    const connected = await connecting.catch((error: unknown) => {
      if (isConfigured || !(error instanceof TemporalUnreachableError)) throw error;
      const hint = `sluice started it as process ${own?.pid}: end that one, and the next command starts another`;
      throw new TemporalUnreachableError(error.message, { cause: error, hint });
    });
    return { ...connected, address, isFound: false };
  }
  if (!(await temporalAnswers(defaultTemporal))) return undefined;
  const address = defaultTemporal;
  return { ...(await connectTemporal(address, connectMs)), address, isFound: true };
}

/** Whether a Temporal is the embedded server of a project; if that is stopped, the next run starts it again. */
export function isOwnServer(
  { stateFolder }: Pick<Config, "stateFolder">,
  { at }: TemporalRecord,
): boolean {
  return isLoopback(at.replace(/:\d+$/, "")) && existsSync(historiesFile(stateFolder));
}

/**
 * Why the Temporal that was reached is not the one that a store is used with. Undefined if it is, and also if it only
 * listens on the default address while the project's own is stopped: then nobody means to use it.
 */
export function whyOtherReached(
  config: Pick<Config, "stateFolder">,
  used: TemporalRecord | undefined,
  reached: Pick<ReachedTemporal, "address" | "isFound"> & { readonly temporalId: string },
): ConfigError | undefined {
  if (reached.isFound && used !== undefined && isOwnServer(config, used)) return undefined;
  return whyOtherTemporal(used, temporalRecord(reached.temporalId, reached.address));
}
