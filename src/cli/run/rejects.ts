import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { Option, type Command } from "commander";
import { stringify } from "csv-stringify/sync";

import { targetOf, type Config } from "../../config/config.ts";
import { ConfigError, messageOf, SluiceError } from "../../errors.ts";
import type { Reject } from "../../state/contract/rejects/rejects.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { defused } from "../../text/spreadsheet-cell.ts";
import { syncNamed } from "../named.ts";
import { configOf, readState, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { positive } from "../positive.ts";
import { replayRejects, type ReplayOptions } from "./replay.ts";
import { runOfRejects } from "./runs.ts";

const pageSize = 1_000;
const columns = [
  "run",
  "number",
  "stream",
  "place",
  "key",
  "step",
  "code",
  "field",
  "reason",
  "row",
  "state",
  "replayed_by",
];

/** A reject as people and programs read it. */
function shown(reject: Reject): Record<string, string | null> {
  const { runId, chunk, ordinal, stream, place, key, step, code, field, reason, row } = reject;
  const number = `${chunk}.${ordinal}`;
  const became = { state: stateOf(reject), replayed_by: reject.replayedBy };
  return { run: runId, number, stream, place, key, step, code, field, reason, row, ...became };
}

/** What became of a reject: nothing yet, or it was read again, or a newer row of its key came since. */
function stateOf({ replayedBy, superseded }: Reject): "open" | "replayed" | "superseded" {
  if (superseded) return "superseded";
  return replayedBy === null ? "open" : "replayed";
}

async function* rejectsOf(state: StateStore, runId: string): AsyncGenerator<Reject> {
  let after: { chunk: number; ordinal: number } | undefined;
  for (;;) {
    const page = await state.rejects({ runId, after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = { chunk: last.chunk, ordinal: last.ordinal };
  }
}

function csvLine(values: readonly (string | null)[]): string {
  return stringify([values.map((value) => (value === null ? null : defused(value)))]);
}

type Which = GlobalOptions & { readonly run?: string; readonly sync?: string };
type ListOptions = Which & { readonly limit: number; readonly open?: boolean };
type Format = "csv" | "jsonl";
type ExportOptions = Which & {
  readonly format?: Format;
  readonly out?: string;
};

/** One reject as a line for a person: a reason that concerns a field is worded to follow its name. */
function lineOf(reject: Reject): string {
  const { place, key, field, reason, replayedBy } = reject;
  const of = key === null ? "" : ` (key ${key})`;
  const became = replayedBy === null ? "" : ` [${stateOf(reject)} by ${replayedBy}]`;
  return plainText(`${place}: ${field === null ? "" : `${field} `}${reason}${of}${became}`);
}

/** Rejects to show, and what to say where there are none. */
type Found = { readonly found: readonly Reject[]; readonly none: string };

async function rejectsOfRun(
  state: StateStore,
  { api }: Config,
  { run, sync, limit }: ListOptions,
): Promise<Found> {
  const { runId } = await runOfRejects(state, { run, sync, target: targetOf(api) });
  return { found: await state.rejects({ runId, limit }), none: `run ${runId} has no rejects` };
}

/** @throws {ConfigError} a run is named, or a sync that is not configured. */
async function openRejects(
  state: StateStore,
  config: Config,
  { run, sync, limit }: ListOptions,
): Promise<Found> {
  if (run !== undefined) {
    throw new ConfigError("--open and --run exclude each other", {
      hint: "what is open may be in any run; `list --run` says of each reject what became of it",
    });
  }
  if (sync !== undefined) syncNamed(config, sync);
  const found = await state.openRejects({ target: targetOf(config.api), sync, limit });
  return { found, none: `${sync ?? "no sync"} has ${sync === undefined ? "" : "no "}open rejects` };
}

async function listRejects(context: Context, options: ListOptions): Promise<void> {
  const config = await configOf(context, options);
  await readState(config, async (state) => {
    const { found, none } = options.open
      ? await openRejects(state, config, options)
      : await rejectsOfRun(state, config, options);
    for (const reject of found) {
      context.print(options.json ? plainJson(shown(reject)) : lineOf(reject));
    }
    if (options.json) return;
    if (found.length === 0) context.say(none);
    if (found.length === options.limit)
      context.say("there may be more: --limit, or `rejects export`");
  });
}

async function* exportedLines(
  state: StateStore,
  runId: string,
  format: Format,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(columns);
  for await (const reject of rejectsOf(state, runId)) {
    const values = shown(reject);
    const cells = columns.map((column) => values[column] ?? null);
    yield format === "csv" ? csvLine(cells) : `${plainJson(values)}\n`;
  }
}

/** Opens a file for this user alone, also one of that name that others could read. */
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
    const { runId } = await runOfRejects(state, { run, sync, target: targetOf(config.api) });
    const lines = Readable.from(exportedLines(state, runId, format));
    if (file === undefined) {
      for await (const line of lines) {
        const text = String(line).replace(/\n$/, "");
        // What goes into another program or a file stays as it is.
        context.print(process.stdout.isTTY ? plainText(text) : text);
      }
      return;
    }
    try {
      const handle = await openPrivate(file);
      await pipeline(lines, handle.createWriteStream());
    } catch (error) {
      // Of the store, not of the file.
      if (error instanceof SluiceError) throw error;
      throw new ConfigError(`cannot write ${file}: ${messageOf(error)}`, {
        hint: "give --out a file in a folder that is there and may be written",
      });
    }
  });
}

/** `sluice rejects list|export|replay`. */
export const registerRejects: Register = (program, context) => {
  const rejects = program.command("rejects").description("rows and records that were refused");
  const verb = (name: string): Command =>
    withGlobals(rejects.command(name))
      .option(
        "--run <run>",
        "of this run; of the newest when none is named, of an inbox the newest with open ones",
      )
      .option("--sync <name>", "of the newest run of this sync or pull");
  verb("list")
    .description("the rejects of a run, with their places and reasons")
    .option(
      "--open",
      "those that are open, whichever run holds them: neither replayed nor superseded",
    )
    .option("--limit <rejects>", "how many", positive, 50)
    .action(async (options: ListOptions) => await listRejects(context, options));
  verb("export")
    .description("write all rejects of a run, with their source rows, to a file or stdout")
    .addOption(
      new Option("--format <format>", "by default csv, with --json jsonl").choices([
        "csv",
        "jsonl",
      ]),
    )
    .option("--out <file>", "made readable for you alone")
    .action(async (options: ExportOptions) => await exportRejects(context, options));
  verb("replay")
    .description("read the rejected rows of a run again, and send what is valid now")
    .option("--reason <code>", "only those of this code, as `rejects export` names it")
    .action(async (options: ReplayOptions) => await replayRejects(context, options));
};
