import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Config } from "../../config/config.ts";
import { ApiUnavailableError } from "../../errors.ts";
import { findTemporal } from "../../local/find-temporal.ts";
import { startOnPorts } from "../../local/ports.ts";
import { startServer } from "../../local/server-process.ts";
import { acquireService, findService, type ServiceUse } from "../../local/shared-service.ts";
import { hostToReach, startTemporal, temporalAnswers } from "../../local/temporal-server.ts";
import type { ServiceAddresses } from "../../service/client.ts";
import { sandboxPortDefault } from "../limits.ts";
import type { Context } from "../output/context.ts";

/** Temporal as a command found or started it. */
export type TemporalUse = {
  /** If undefined, TEMPORAL_ADDRESS and related variables give it. */
  readonly address: string | undefined;
  /** Known for an embedded server only. */
  readonly uiAddress: string | undefined;
  /** Whether it is a server of ours, which stops with its last user. */
  readonly isEmbedded: boolean;
  /** Whether it was only found on the default address: nobody said that it is for this project. */
  readonly isFound: boolean;
  readonly release: () => Promise<void>;
};

/** Where a Temporal server listens by default. */
export const defaultTemporal = "127.0.0.1:7233";

/** The program itself; the built file is one folder deeper than its source. */
const root = new URL(
  import.meta.url.endsWith(".ts") ? "../../../" : "../../../../",
  import.meta.url,
);
const bin = fileURLToPath(new URL("bin/sluice.js", root));

async function answers(address: string): Promise<boolean> {
  // Not node:http: in a module, that import also loads Node's own undici, which takes 30 ms.
  const { request } = await import("undici");
  try {
    const { statusCode, body } = await request(new URL("/openapi.json", address), {
      signal: AbortSignal.timeout(2_000),
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** The sandbox prints its address once it listens. */
function saysItIsUp(logFile: string): boolean {
  return /^sandbox at /m.test(readFileSync(logFile, "utf8"));
}

/** What says that another command holds a server up: a first one may build Temporal for minutes. */
function sayWaiting(server: string, { say }: Context): () => void {
  return () =>
    say(`waiting for another command of this project, which starts, stops or joins ${server}`);
}

/** Starts the sandbox as a process of its own, or shares one that another command started. */
async function useSandbox(config: Config, context: Context): Promise<ServiceUse> {
  const { stateFolder } = config;
  return await acquireService({
    folder: stateFolder,
    name: "sandbox",
    waiting: sayWaiting("the sandbox", context),
    isAlive: async ({ addresses }) => await answers(addresses["http"] ?? ""),
    start: async (spawned) => {
      const ip = context.environment.host;
      const logFile = join(stateFolder, "sandbox.log");
      return await startOnPorts({
        ip,
        preferred: [sandboxPortDefault],
        logFile,
        start: async ([port = 0]) => {
          const http = `http://${hostToReach(ip)}:${port}`;
          const { pid } = await startServer({
            name: "the sandbox",
            command: process.execPath,
            args: [bin, "sandbox", "--port", String(port), "--data", join(stateFolder, "sandbox")],
            env: context.environment.variables,
            logFile,
            // An answer alone may come from another project's sandbox that took the port first.
            answers: async () => saysItIsUp(logFile) && (await answers(http)),
            spawned,
            Failure: ApiUnavailableError,
          });
          return { pid, addresses: { http } };
        },
      });
    },
  });
}

/** The addresses of the service. Starts a sandbox if the configuration says `sandbox`. */
export async function useService(
  config: Config,
  context: Context,
): Promise<{ readonly addresses: ServiceAddresses; readonly release: () => Promise<void> }> {
  const { baseUrl, legacyBaseUrl } = config.api;
  if (baseUrl !== "sandbox" && legacyBaseUrl !== "sandbox") {
    const addresses = { baseUrl, legacyBaseUrl: legacyBaseUrl ?? baseUrl };
    return { addresses, release: async () => undefined };
  }
  const sandbox = await useSandbox(config, context);
  const address = new URL(sandbox.info.addresses["http"] ?? "");
  if (sandbox.startedHere) context.detail?.(`started the sandbox at ${address.origin}`);
  return {
    addresses: {
      baseUrl: baseUrl === "sandbox" ? address : baseUrl,
      legacyBaseUrl:
        legacyBaseUrl === undefined || legacyBaseUrl === "sandbox" ? address : legacyBaseUrl,
    },
    release: async () => await sandbox.release(),
  };
}

/** Where the embedded server keeps its histories. */
export function historiesFile(stateFolder: string): string {
  return join(stateFolder, "temporal.db");
}

/** Starts the embedded server with its histories in the state folder, or shares one that another command started. */
export async function useEmbeddedTemporal(config: Config, context: Context): Promise<TemporalUse> {
  const { stateFolder } = config;
  const service = await acquireService({
    folder: stateFolder,
    name: "temporal",
    waiting: sayWaiting("the Temporal server", context),
    isAlive: async ({ addresses }) => await temporalAnswers(addresses["grpc"] ?? ""),
    start: async (spawned) => {
      const server = await startTemporal({
        binary: await temporalBinary(context),
        databaseFile: historiesFile(stateFolder),
        ip: context.environment.host,
        logFile: join(stateFolder, "temporal.log"),
        spawned,
      });
      return { pid: server.pid, addresses: { grpc: server.address, ui: server.uiAddress } };
    },
  });
  const { grpc, ui } = service.info.addresses;
  if (service.startedHere)
    context.detail?.(`started an embedded Temporal at ${grpc}, its Web UI at ${ui}`);
  return {
    address: grpc,
    uiAddress: ui,
    isEmbedded: true,
    isFound: false,
    release: async () => await service.release(),
  };
}

/** The path of the `temporal` program, which is downloaded or built if it is not there. */
export async function temporalBinary(context: Context): Promise<string> {
  const { detail, environment, say } = context;
  const { variables, temporalCache } = environment;
  return await findTemporal({ env: variables, cacheFolder: temporalCache, say, detail });
}

/** A server that is not ours is not stopped. */
async function keepRunning(): Promise<void> {}

/**
 * The Temporal that a run uses: the one that TEMPORAL_ADDRESS or a profile names; otherwise a server of this project
 * that already runs; otherwise what listens on the default address; otherwise an embedded server, which is started.
 */
export async function useTemporal(config: Config, context: Context): Promise<TemporalUse> {
  const none = { uiAddress: undefined, isEmbedded: false, isFound: false, release: keepRunning };
  if (isTemporalConfigured(context)) return { ...none, address: undefined };
  if (!hasEmbedded(config) && (await temporalAnswers(defaultTemporal))) {
    return { ...none, address: defaultTemporal, isFound: true };
  }
  return await useEmbeddedTemporal(config, context);
}

/** Whether the environment says where Temporal is. */
export function isTemporalConfigured({ environment }: Pick<Context, "environment">): boolean {
  const { temporalAddress, variables } = environment;
  const names = ["TEMPORAL_PROFILE", "TEMPORAL_CONFIG_FILE"];
  return temporalAddress !== undefined || names.some((name) => variables[name]);
}

/** Whether a project's Temporal is configured, or one of its own runs, so that `useTemporal` only has to look. */
export function isTemporalThere(
  { stateFolder: folder }: Pick<Config, "stateFolder">,
  context: Pick<Context, "environment">,
): boolean {
  return isTemporalConfigured(context) || findService({ folder, name: "temporal" }) !== undefined;
}

function hasEmbedded({ stateFolder }: Config): boolean {
  return existsSync(join(stateFolder, "temporal.json"));
}
