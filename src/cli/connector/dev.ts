import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { basename, dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Option } from "commander";

import type { Context, Register } from "../output/context.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { positive } from "../positive.ts";
import { withMember } from "./config.ts";
import { endSoon } from "./end-soon.ts";
import { fileOf } from "./load.ts";
import { readOnce, type ReadOptions } from "./read.ts";
import { watchSources } from "./watch.ts";

type DevOptions = Omit<ReadOptions, "cwd" | "path"> & { readonly once?: boolean };

/** `sluice connector dev <path>`. */
export const registerConnectorDev: Register = (connector, context) => {
  connector
    .command("dev <path>")
    .description("read a connector's rows and print them with their positions, on each save again")
    .addOption(
      new Option(
        "--config <file>",
        "the members of its connection, as YAML or JSON (default: those of its harness)",
      ).conflicts("set"),
    )
    .option("--set <name=value>", "one of them; may be repeated", withMember)
    .option("-n, --limit <rows>", "how many rows to read", positive, 20)
    .option("--from <position>", "where to continue from, as JSON")
    .option("--once", "read once, and end")
    .option("--json", "print JSON: one object for each row, reject and position")
    .action(async (path: string, options: DevOptions) => {
      const { once: isOnce, ...asked } = options;
      const request = { ...asked, path, cwd: context.cwd };
      if (!isOnce) {
        await readOnSaves(request, context);
        return;
      }
      try {
        await readOnce(request, context);
      } finally {
        endSoon();
      }
    });
};

/** Reads in a new process each time, because a process loads a module only once. */
async function readOnSaves(request: ReadOptions, context: Context): Promise<void> {
  const { config } = request;
  const file = await fileOf(request);
  const isFolder = resolve(request.cwd, request.path) === dirname(file);
  const { signal } = onInterrupt();
  let isFirst = true;
  while (!signal.aborted) {
    using sources = watchSources({
      folder: dirname(file),
      isDeep: isFolder,
      besides: config === undefined ? undefined : resolve(request.cwd, config),
    });
    const child = startReading(request);
    if (isFirst) context.say(`reads ${basename(dirname(file))} now and on each save; Ctrl-C ends`);
    isFirst = false;
    const changed = await Promise.race([sources.changed, aborted(signal)]);
    await end(child);
    if (changed !== undefined) context.say(`${relative(request.cwd, changed)} was saved`);
  }
}

const reading = new URL(
  `./child${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

function startReading(request: ReadOptions): ChildProcess {
  const args = [fileURLToPath(reading), JSON.stringify(request)];
  return spawn(process.execPath, args, {
    cwd: request.cwd,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, "abort");
  return undefined;
}

/** How long a read may take to end after SIGTERM. */
const endMsMax = 2_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), endMsMax);
  await gone;
  clearTimeout(timer);
}
