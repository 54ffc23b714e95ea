import type { Client } from "@temporalio/client";
import type { Logger } from "pino";

import { sourcesOf } from "../../connectors/registry.ts";
import type { Config } from "../config/config.ts";
import { webhooksPortDefault } from "../limits.ts";
import { connectTemporal } from "../local/connect.ts";
import { areFree } from "../local/ports.ts";
import { createLog } from "../log.ts";
import {
  configOf,
  withGlobals,
  type Context,
  type GlobalOptions,
  type Register,
} from "./context.ts";
import { onInterrupt, untilAborted } from "./interrupt.ts";
import { postedConnections } from "./posted.ts";
import { startReceiving, type Receiving } from "./receiving.ts";
import { useEmbeddedTemporal, useService, type TemporalUse } from "./services.ts";
import { startWorkerHere } from "./start-worker.ts";
import { watchConfig } from "./watch-config.ts";

/** A receiver on its own port, or on a free one; undefined when nothing is posted to the project. */
async function receive(
  { config, log }: { readonly config: Config; readonly log: Logger },
  { address: temporalAddress }: TemporalUse,
  context: Context,
): Promise<Receiving | undefined> {
  const posted = postedConnections(config);
  if (posted.length === 0) return undefined;
  const isFree = await areFree(context.environment.host, [webhooksPortDefault]);
  const port = isFree ? webhooksPortDefault : 0;
  const connect = async (): Promise<Client> => (await connectTemporal(temporalAddress)).client;
  return await startReceiving({ config, posted, port, connect, log }, context);
}

function readyText(ready: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(ready).flatMap(([name, address]) =>
    address === undefined ? [] : [`  ${name.padEnd(8)}  ${address}`],
  );
  return ["sluice dev is ready", ...lines].join("\n");
}

async function runDev(options: GlobalOptions, context: Context): Promise<void> {
  const config = await configOf(context, options);
  const log = createLog(context.environment.logFormat);
  const interrupted = onInterrupt();
  await using closing = new AsyncDisposableStack();
  const { addresses, release } = await useService(config, context);
  closing.defer(release);
  const temporal = await useEmbeddedTemporal(config, context);
  closing.defer(temporal.release);
  const { address: temporalAddress, uiAddress: ui } = temporal;
  const { proxy } = context.environment;
  const sources = sourcesOf(config);
  const worker = await startWorkerHere({ config, addresses, sources, log, temporalAddress, proxy });
  // One that broke has told why already.
  closing.defer(async () => await worker.stop().catch(() => undefined));
  const receiving = await receive({ config, log }, temporal, context);
  closing.defer(async () => await receiving?.close());
  const unwatch = watchConfig(config, log);
  closing.defer(unwatch);
  const sandbox = addresses.baseUrl.origin;
  const receiver = receiving?.address.origin;
  context.print(
    options.json
      ? JSON.stringify({ ready: true, temporal: temporalAddress, ui, sandbox, receiver })
      : readyText({
          Temporal: temporalAddress,
          "Web UI": ui,
          Service: sandbox,
          Receiver: receiver,
        }),
  );
  await Promise.race([worker.ended, untilAborted(interrupted.signal)]);
  // Before the worker, so that what has come is still rung for.
  await receiving?.close();
  await worker.stop();
}

/** `sluice dev`. */
export const registerDev: Register = (program, context) => {
  withGlobals(program.command("dev"))
    .description(
      "run everything at once: Temporal with its Web UI, the sandbox, a worker, a receiver",
    )
    .action(async (options: GlobalOptions) => await runDev(options, context));
};
