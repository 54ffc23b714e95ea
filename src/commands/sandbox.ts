import { ConfigError, messageOf } from "../errors.ts";
import { sandboxPortDefault } from "../limits.ts";
import { startSandboxThread } from "../sandbox/thread.ts";
import { withGlobals, type GlobalOptions, type Register } from "./context.ts";
import { onInterrupt, untilAborted } from "./interrupt.ts";
import { port } from "./temporal.ts";

type SandboxOptions = GlobalOptions & { readonly port: number; readonly data: string };

/** `sluice sandbox`. */
export const registerSandbox: Register = (program, context) => {
  withGlobals(program.command("sandbox"))
    .description("run a local implementation of the service until it is told to stop")
    .option("--port <port>", "where it listens; 0 takes a free one", port, sandboxPortDefault)
    .option("--data <folder>", "where it keeps what it receives", ".sluice/sandbox")
    .action(async (options: SandboxOptions) => {
      const interrupted = onInterrupt();
      const { host } = context.environment;
      const settings = { host, port: options.port, dataFolder: options.data };
      const sandbox = await startSandboxThread(settings).catch((error: unknown) => {
        throw new ConfigError(`the sandbox cannot start: ${messageOf(error)}`, {
          hint: "choose another --port or --data, or stop the sandbox that uses them",
        });
      });
      const { address } = sandbox;
      context.print(
        options.json ? JSON.stringify({ ready: true, address }) : `sandbox at ${address}`,
      );
      await untilAborted(interrupted.signal);
      await sandbox.close();
    });
};
