import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { Option, type Command } from "commander";

import { targetOf } from "../../config/config.ts";
import { readFault } from "../../config/document/read-fault.ts";
import { ConfigError, SluiceError } from "../../errors.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainText } from "../../text/plain-text.ts";
import { configOf, readState, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { positive } from "../positive.ts";
import { type PastTime, since } from "../since.ts";
import { findRejects, rejectsOf, type WhichRejects } from "./find-rejects.ts";
import { rejectCsv, rejectCsvHead, rejectJson, rejectLine } from "./reject-text.ts";
import { replayRejects, type ReplayOptions } from "./replay.ts";
import { assertKnownName, runOfRejects } from "./runs.ts";

type ListOptions = GlobalOptions &
  Omit<WhichRejects, "since"> & { readonly since?: PastTime | undefined };
type Format = "csv" | "jsonl";
type ExportOptions = GlobalOptions &
  Pick<WhichRejects, "run" | "sync"> & { readonly format?: Format; readonly out?: string };

async function listRejects(context: Context, options: ListOptions): Promise<void> {
  const { json, limit } = options;
  const config = await configOf(context, options);
  await readState(config, async (state) => {
    const from = options.since?.(state.now());
    const { rejects, none } = await findRejects(state, config, { ...options, since: from });
    let shown = 0;
    for await (const reject of rejects) {
      context.print(json === true ? rejectJson(reject) : rejectLine(reject));
      shown += 1;
      if (shown === limit) break;
    }
    if (json === true) return;
    if (shown === 0) context.say(none);
    if (shown === limit) context.say("there may be more: --limit, or `rejects export`");
  });
}

async function* exportedLines(
  state: StateStore,
  runId: string,
  format: Format,
): AsyncGenerator<string> {
  if (format === "csv") yield rejectCsvHead;
  for await (const reject of rejectsOf(state, runId)) {
    yield format === "csv" ? rejectCsv(reject) : `${rejectJson(reject)}\n`;
  }
}

/** Opens a file for this user alone, even if one of that name exists that others can read. */
async function openPrivate(file: string): Promise<FileHandle> {
  const handle = await open(file, "w", 0o600);
  if ((await handle.stat()).isFile()) await handle.chmod(0o600);
  return handle;
}

async function exportRejects(context: Context, options: ExportOptions): Promise<void> {
  const { json, out: file } = options;
  const format = options.format ?? (json ? "jsonl" : "csv");
  const config = await configOf(context, options);
  await readState(config, async (state) => {
    const { run, sync } = options;
    await assertKnownName(state, config, sync);
    const { runId } = await runOfRejects(state, { run, sync, target: targetOf(config.api) });
    const lines = Readable.from(exportedLines(state, runId, format));
    if (file === undefined) {
      for await (const line of lines) {
        const text = String(line).replace(/\n$/, "");
        // Output for another program or a file stays as it is.
        context.print(process.stdout.isTTY ? plainText(text) : text);
      }
      return;
    }
    try {
      const handle = await openPrivate(file);
      await pipeline(lines, handle.createWriteStream());
    } catch (error) {
      // An error of the store, not of the file.
      if (error instanceof SluiceError) throw error;
      throw new ConfigError(`cannot write ${file}: ${readFault(error)}`, {
        cause: error,
        hint: "give --out a file in a folder that is there and may be written",
      });
    }
  });
}

/** `sluice rejects list|export|replay`. */
export const registerRejects: Register = (program, context) => {
  const rejects = program.command("rejects").description("rows and records that were refused");
  const verb = (name: string, json: "lines" | "object"): Command =>
    withGlobals(rejects.command(`${name} [run]`), json)
      // The run was once an option, and may be in scripts.
      .addOption(new Option("--run <run>", "the same as the argument").hideHelp())
      .option("--sync <name>", "those of the newest run of this sync or pull");
  const newest =
    "without a run, those of the newest (for an inbox, of the newest with open rejects)";
  const code = ["--code <code>", "only those of this code, as --json shows it"] as const;
  verb("list", "lines")
    .summary("the rejects of a run, with their places and reasons")
    .description(`the rejects of a run, with their places and reasons; ${newest}`)
    .option("--open", "those that still need somebody, whichever run holds them")
    .option("--key <key>", "those of this key, whichever run holds them")
    .option("--since <time>", "those since then, whichever run holds them: 7d, 2026-11-20", since)
    .option(...code)
    .option("-n, --limit <rejects>", "how many", positive, 50)
    .action(async (run: string | undefined, options: ListOptions) => {
      await listRejects(context, { ...options, run: run ?? options.run });
    });
  verb("export", "lines")
    .summary("write the rejects of a run, with their rows, to a file or stdout")
    .description(`write all rejects of a run, with their rows, to a file or stdout; ${newest}`)
    .addOption(
      new Option("--format <format>", "by default csv, with --json jsonl").choices([
        "csv",
        "jsonl",
      ]),
    )
    .option("--out <file>", "made readable for you alone")
    .action(async (run: string | undefined, options: ExportOptions) => {
      await exportRejects(context, { ...options, run: run ?? options.run });
    });
  verb("replay", "object")
    .summary("read rejected rows of a run again, and send what is valid now")
    .description(
      "read the rejected rows of a run again, and send what is valid now; without a run, those of the newest with " +
        "open rejects",
    )
    .option(...code)
    .action(async (run: string | undefined, options: ReplayOptions) => {
      await replayRejects(context, { ...options, run: run ?? options.run });
    });
};
