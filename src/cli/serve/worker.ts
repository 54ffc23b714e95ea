import { InvalidArgumentError } from "commander";

import { sourcesOf } from "../../../connectors/registry.ts";
import { createLog } from "../../log.ts";
import { startProbes } from "../../probes/server.ts";
import { commandGraceMs, workerGraceMs } from "../limits.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "../output/context.ts";
import { isCtrlC, onInterrupt, untilAborted } from "../output/interrupt.ts";
import { useService } from "../running/services.ts";
import { startWorkerHere } from "./start-worker.ts";
import { port } from "./temporal.ts";
import { watchConfig } from "./watch-config.ts";

type WorkerOptions = GlobalOptions & {
  readonly http?: { readonly host: string; readonly port: number };
};

/** Reads an address such as `127.0.0.1:9464` or `[::1]:9464`. @throws {InvalidArgumentError} it is none. */
function httpAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, number = ""] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) {
    throw new InvalidArgumentError("must be an address and a port, such as 127.0.0.1:9464");
  }
  return { host, port: port(number) };
}

/** `sluice worker`. */
export const registerWorker: Register = (program, context) => {
  withGlobals(program.command("worker"))
    .description("run a worker until it is told to stop")
    .option("--http <host:port>", "where it answers probes, /livez and /readyz", httpAddress)
    .action(async (options: WorkerOptions) => {
      const config = await configOf(context, options);
      const log = createLog(context.environment.logFormat);
      const interrupted = onInterrupt();
      const probes = options.http === undefined ? undefined : await startProbes(options.http);
      if (probes !== undefined) log.info(`probes at ${probes.address.href}livez and readyz`);
      const service = await useService(config, context);
      try {
        const { addresses } = service;
        const worker = await startWorkerHere({
          config,
          addresses,
          sources: sourcesOf(config),
          log,
          temporalAddress: undefined,
          proxy: context.environment.proxy,
          command: "worker",
          graceMs: workerGraceMs,
        });
        probes?.watch(async () => await worker.look());
        const unwatch = watchConfig(config, log);
        await Promise.race([worker.ended, untilAborted(interrupted.signal)]);
        unwatch();
        probes?.watch(undefined);
        // Somebody waits for the prompt; a service manager does not.
        const graceMs = isCtrlC(interrupted.signal) ? commandGraceMs : workerGraceMs;
        log.info(`worker stops: what runs has ${graceMs / 1_000} s to end`);
        await worker.stop(graceMs);
      } finally {
        await service.release();
        await probes?.close();
      }
    });
};
