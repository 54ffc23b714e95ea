import { getPriority, setPriority } from "node:os";

import { createLog } from "../../log.ts";
import { uiPortDefault } from "../limits.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "../output/context.ts";
import { onInterrupt, untilAborted } from "../output/interrupt.ts";
import { port } from "../serve/temporal.ts";
import { watchConfig } from "../serve/watch-config.ts";
import { startUi } from "./start-ui.ts";

type UiOptions = GlobalOptions & {
  readonly host: string;
  readonly port: number;
  readonly showRows?: boolean;
};

/** How much nicer the pages are than the process that started them, as nice(1) counts. */
const nicer = 10;

/** Lets a worker on the same machine go first if both want the processor. */
function yieldToWorkers(): void {
  try {
    setPriority(Math.min(19, getPriority() + nicer));
  } catch {
    // Without the right to change that, they share.
  }
}

/** `sluice ui`. */
export const registerUi: Register = (program, context) => {
  withGlobals(program.command("ui"))
    .summary("pages to look at: runs, rejects, records, what is held")
    .description(
      "show runs, rejects, records and what is held as pages for a browser; they change nothing",
    )
    .option("--port <port>", "where it listens; 0 takes a free one", port, uiPortDefault)
    .option("--host <address>", "another address; SLUICE_UI_TOKEN is then asked for", "127.0.0.1")
    .option("--show-rows", "show rejects with the rows that they were made of")
    .action(async ({ host, port: at, showRows = false, ...options }: UiOptions) => {
      const config = await configOf(context, options);
      const log = createLog(context.environment.logFormat);
      const interrupted = onInterrupt();
      yieldToWorkers();
      const settings = { config, host, port: at, showsRows: showRows, log };
      const ui = await startUi(settings, context);
      const unwatch = watchConfig(config, log);
      const { href } = ui.address;
      context.print(
        options.json === true ? JSON.stringify({ ready: true, address: href }) : `look at ${href}`,
      );
      await untilAborted(interrupted.signal);
      unwatch();
      await ui.close();
    });
};
