import type { Client } from "@temporalio/client";
import type { Logger } from "pino";

import { sourcesOf } from "../../../connectors/registry.ts";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../errors.ts";
import { connectTemporal } from "../../local/connect.ts";
import { areFree } from "../../local/ports.ts";
import { createLog } from "../../log.ts";
import { commandGraceMs, uiPortDefault, webhooksPortDefault } from "../limits.ts";
import {
  configOf,
  withGlobals,
  type Context,
  type GlobalOptions,
  type Register,
} from "../output/context.ts";
import { onInterrupt, untilAborted } from "../output/interrupt.ts";
import { useEmbeddedTemporal, useService, type TemporalUse } from "../running/services.ts";
import type { UiServer } from "../ui/server.ts";
import { startUi } from "../ui/start-ui.ts";
import { httpAddress, observeAt, type HttpAddress, type Observing } from "./observing.ts";
import { receiverConnections } from "./push-connections.ts";
import { startReceiving, type Receiving } from "./receiving.ts";
import { startWorkerHere } from "./start-worker.ts";
import { changedConfig, justRead } from "./watch-config.ts";

/** What a server is started with. `before`: the address that it had by the configuration before. */
type Parts = {
  readonly config: Config;
  readonly log: Logger;
  readonly before: string | undefined;
};

/** The port of an address that was printed before, else the default one; 0 for any if it is taken. */
async function portFor(
  host: string,
  { before, otherwise }: { readonly before: string | undefined; readonly otherwise: number },
): Promise<number> {
  const port = before === undefined ? otherwise : Number(new URL(before).port);
  return (await areFree(host, [port])) ? port : 0;
}

/** A receiver, at its address before if it had one; undefined if nothing is pushed to the project. */
async function receive(
  { config, log, before }: Parts,
  { address: temporalAddress }: TemporalUse,
  context: Context,
): Promise<Receiving | undefined> {
  const pushed = receiverConnections(config);
  if (pushed.length === 0) return undefined;
  const { host } = context.environment;
  const port = await portFor(host, { before, otherwise: webhooksPortDefault });
  const connect = async (): Promise<Client> => (await connectTemporal(temporalAddress)).client;
  return await startReceiving({ config, pushed, port, connect, log }, context);
}

/** The pages, at their address before if they had one; on this machine alone, whatever SLUICE_HOST says. */
async function show({ config, log, before }: Parts, context: Context): Promise<UiServer> {
  const host = "127.0.0.1";
  const port = await portFor(host, { before, otherwise: uiPortDefault });
  return await startUi({ config, host, port, showsRows: false, log }, context);
}

function readyText(ready: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(ready).flatMap(([name, address]) =>
    address === undefined ? [] : [`  ${name.padEnd(8)}  ${address}`],
  );
  return ["sluice dev is ready", ...lines].join("\n");
}

/** Everything that runs by one configuration, and starts anew with the next. */
type Working = {
  readonly config: Config;
  readonly service: string;
  readonly receiver: string | undefined;
  readonly pages: string;
  /** Resolves when its worker has stopped; rejects when it broke. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
};

/** Everything that outlives a change of the configuration. */
type Around = {
  readonly temporal: TemporalUse;
  readonly context: Context;
  readonly log: Logger;
  /** Where probes can ask how the worker is; undefined if nobody asks. */
  readonly observing: Observing | undefined;
};

/**
 * Starts the worker, the receiver and the pages, these two where they were by the `old` configuration if nobody has
 * taken that meanwhile; shares the sandbox with whoever uses it already.
 */
async function work(
  config: Config,
  { temporal, context, log, observing }: Around,
  old?: Pick<Working, "pages" | "receiver">,
): Promise<Working> {
  await using closing = new AsyncDisposableStack();
  const { addresses, release } = await useService(config, context);
  closing.defer(release);
  const worker = await startWorkerHere({
    config,
    addresses,
    sources: sourcesOf(config),
    log,
    temporalAddress: temporal.address,
    proxy: context.environment.proxy,
    command: "dev",
    graceMs: commandGraceMs,
    metrics: observing?.metrics,
  });
  observing?.probes.watch(async () => await worker.look());
  // A worker that broke has already said why.
  closing.defer(async () => {
    observing?.probes.watch(undefined);
    await worker.stop().catch(() => undefined);
  });
  const receiving = await receive({ config, log, before: old?.receiver }, temporal, context);
  // Closed before the worker, so that a wake-up still follows the events that have come.
  closing.defer(async () => await receiving?.close());
  const pages = await show({ config, log, before: old?.pages }, context);
  closing.defer(async () => await pages.close());
  const open = closing.move();
  return {
    config,
    service: addresses.baseUrl.origin,
    receiver: receiving?.address.origin,
    pages: pages.address.origin,
    ended: worker.ended,
    close: async () => await open.disposeAsync(),
  };
}

/** Stops whatever runs by the old configuration, and starts it by the new one; by the old one again if that fails. */
async function takeUp(next: Config, old: Working, around: Around): Promise<Working> {
  const { log, context } = around;
  // Held meanwhile, so that the sandbox does not stop and start.
  const held = await useService(old.config, context);
  try {
    await old.close();
    const working = await work(next, around, old);
    const { receiver, pages } = working;
    log.info({ file: next.file, receiver, pages }, "the changed configuration is in use");
    return working;
  } catch (error) {
    log.error({ why: messageOf(error) }, "the changed configuration cannot be used");
    return await work(old.config, around, old);
  } finally {
    await held.release();
  }
}

type DevOptions = GlobalOptions & { readonly http?: HttpAddress };

async function runDev(options: DevOptions, context: Context): Promise<void> {
  const read = justRead(await configOf(context, options));
  const { config } = read;
  const log = createLog(context.environment.logFormat);
  const { signal } = onInterrupt();
  await using closing = new AsyncDisposableStack();
  const { http } = options;
  const observing = http === undefined ? undefined : await observeAt(http, log);
  closing.defer(async () => await observing?.probes.close());
  // Held to the end: a server that nobody uses for a moment would stop.
  const { release } = await useService(config, context);
  closing.defer(release);
  const temporal = await useEmbeddedTemporal(config, context);
  closing.defer(temporal.release);
  const around = { temporal, context, log, observing };
  let working = await work(config, around);
  closing.defer(async () => await working.close());
  const { address: temporalAddress, uiAddress: ui } = temporal;
  const { service, receiver, pages } = working;
  context.print(
    options.json
      ? JSON.stringify({
          ready: true,
          temporal: temporalAddress,
          ui,
          sandbox: service,
          receiver,
          pages,
        })
      : readyText({
          Temporal: temporalAddress,
          "Web UI": ui,
          Service: service,
          Receiver: receiver,
          Pages: pages,
        }),
  );
  const load = async (): Promise<Config> => await configOf(context, options);
  let [used, tried] = [read, read];
  while (!signal.aborted) {
    const isOver = new AbortController();
    const changed = changedConfig(used, load, {
      tried,
      warn: (text) => log.warn(text),
      signal: AbortSignal.any([signal, isOver.signal]),
    });
    const next = await untilAborted(signal, Promise.race([changed, working.ended])).finally(() =>
      isOver.abort(),
    );
    if (next === undefined) return;
    working = await takeUp(next.config, working, around);
    if (working.config === next.config) used = next;
    tried = next;
  }
}

/** `sluice dev`. */
export const registerDev: Register = (program, context) => {
  withGlobals(program.command("dev"))
    .description(
      "run everything at once: Temporal with its Web UI, the sandbox, a worker, a receiver, pages to look at",
    )
    .option("--http <host:port>", "where it answers /livez, /readyz and /metrics", httpAddress)
    .action(async (options: DevOptions) => await runDev(options, context));
};
