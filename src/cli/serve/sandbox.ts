import { ConfigError, messageOf } from "../../errors.ts";
import { faultKinds } from "../../sandbox/faults/faults.ts";
import { startSandboxThread } from "../../sandbox/thread.ts";
import { sandboxPortDefault } from "../limits.ts";
import { withJson, type Context, type GlobalOptions, type Register } from "../output/context.ts";
import { onInterrupt, untilAborted } from "../output/interrupt.ts";
import { readFaultScript } from "./fault-script.ts";
import { port } from "./temporal.ts";

type SandboxOptions = GlobalOptions & {
  readonly port: number;
  readonly data: string;
  readonly faults?: string;
  readonly listFaults?: boolean;
};

/** `sluice sandbox`. */
export const registerSandbox: Register = (program, context) => {
  withJson(program.command("sandbox"))
    .description("run a local implementation of the service until it is stopped")
    .option("--port <port>", "where it listens; 0 takes a free one", port, sandboxPortDefault)
    .option("--data <folder>", "where it keeps what it receives", ".sluice/sandbox")
    .option("--faults <file>", "what goes wrong: a script in YAML")
    .option("--list-faults", "print every fault that a script can order, and do nothing else")
    .action(async (options: SandboxOptions) => {
      if (options.listFaults === true) listFaults(options, context);
      else await runSandbox(options, context);
    });
};

/** Prints every fault as a script that the sandbox takes, or one a line for another program. */
function listFaults({ json }: GlobalOptions, context: Context): void {
  if (json !== true) {
    context.print("# A script for `sluice sandbox --faults`: keep what is to go wrong.\nfaults:");
  }
  for (const kind of faultKinds) {
    const { name, steps, summary, example } = kind;
    context.print(
      json ? JSON.stringify(kind) : `  # ${name} (${steps.join(", ")}): ${summary}\n  - ${example}`,
    );
  }
}

async function runSandbox(options: SandboxOptions, context: Context): Promise<void> {
  const interrupted = onInterrupt();
  const { cwd, environment } = context;
  const script =
    options.faults === undefined
      ? {}
      : await readFaultScript(options.faults, { cwd, env: environment.variables });
  const settings = { host: environment.host, port: options.port, dataFolder: options.data };
  const sandbox = await startSandboxThread({ ...settings, ...script }).catch((error: unknown) => {
    throw new ConfigError(`the sandbox cannot start: ${messageOf(error)}`, {
      hint: "choose another --port or --data, or stop the sandbox that uses them",
    });
  });
  const { address } = sandbox;
  context.print(options.json ? JSON.stringify({ ready: true, address }) : `sandbox at ${address}`);
  await untilAborted(interrupted.signal);
  await sandbox.close();
}
