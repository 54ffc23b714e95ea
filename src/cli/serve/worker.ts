import { sourcesOf } from "../../../connectors/registry.ts";
import { createLog } from "../../log.ts";
import { commandGraceMs, workerGraceMs } from "../limits.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "../output/context.ts";
import { isCtrlC, onInterrupt, untilAborted } from "../output/interrupt.ts";
import { useService } from "../running/services.ts";
import { httpAddress, observeAt, type HttpAddress } from "./observing.ts";
import { logService, startWorkerHere } from "./start-worker.ts";
import { watchConfig } from "./watch-config.ts";

type WorkerOptions = GlobalOptions & {
  readonly http?: HttpAddress;
  readonly temporalMetrics?: HttpAddress;
};

/** `sluice worker`. */
export const registerWorker: Register = (program, context) => {
  withGlobals(program.command("worker"))
    .description("run a worker until it is stopped")
    .option("--http <host:port>", "where it answers /livez, /readyz and /metrics", httpAddress)
    .option("--temporal-metrics <host:port>", "where Temporal's own /metrics are", httpAddress)
    .action(async (options: WorkerOptions) => {
      const config = await configOf(context, options);
      const log = createLog(context.environment.logFormat);
      const interrupted = onInterrupt();
      const observing = options.http === undefined ? undefined : await observeAt(options.http, log);
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
          metrics: observing?.metrics,
          temporalMetrics: options.temporalMetrics,
        });
        logService(config.api, log);
        observing?.probes.watch(async () => await worker.look());
        const unwatch = watchConfig(config, log);
        await untilAborted(interrupted.signal, worker.ended);
        unwatch();
        observing?.probes.watch(undefined);
        // At Ctrl-C somebody waits for the prompt; a service manager does not.
        const graceMs = isCtrlC(interrupted.signal) ? commandGraceMs : workerGraceMs;
        log.info(`worker stops: running work has ${graceMs / 1_000} s to end`);
        await worker.stop(graceMs);
      } finally {
        await service.release();
        await observing?.probes.close();
      }
    });
};
