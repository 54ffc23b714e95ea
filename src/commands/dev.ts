import { sources } from "../../connectors/registry.ts";
import { createLog } from "../log.ts";
import { startWorker } from "../worker.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "./context.ts";
import { onInterrupt, untilAborted } from "./interrupt.ts";
import { useEmbeddedTemporal, useService } from "./services.ts";
import { watchConfig } from "./watch-config.ts";

/** `sluice dev`. */
export const registerDev: Register = (program, context) => {
  withGlobals(program.command("dev"))
    .description("run everything at once: Temporal with its Web UI, the sandbox, a worker")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const log = createLog(context.environment.logFormat);
      const interrupted = onInterrupt();
      const service = await useService(config, context);
      try {
        const temporal = await useEmbeddedTemporal(config, context);
        try {
          const { addresses } = service;
          const temporalAddress = temporal.address;
          const worker = await startWorker({
            config,
            addresses,
            sources,
            log,
            temporalAddress,
            proxy: context.environment.proxy,
          });
          const unwatch = watchConfig(config, log);
          const api = addresses.baseUrl.origin;
          const ready = {
            ready: true,
            temporal: temporalAddress,
            ui: temporal.uiAddress,
            sandbox: api,
          };
          context.print(
            options.json
              ? JSON.stringify(ready)
              : `sluice dev is ready\n  Temporal  ${temporalAddress}\n  Web UI    ${temporal.uiAddress}\n  Service   ${api}`,
          );
          await Promise.race([worker.ended, untilAborted(interrupted.signal)]);
          unwatch();
          await worker.stop();
        } finally {
          await temporal.release();
        }
      } finally {
        await service.release();
      }
    });
};
