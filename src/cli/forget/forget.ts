import { basename, join } from "node:path";

import { sourcesOf } from "../../../connectors/registry.ts";
import { connectorOf } from "../../../connectors/source.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { BusyError, ConfigError } from "../../errors.ts";
import { openInbox } from "../../inbox/open.ts";
import type { Erased } from "../../state/contract/keys/forgetting.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainText } from "../../text/plain-text.ts";
import { grouped } from "../../text/quantities.ts";
import { isConfirmed } from "../output/confirm.ts";
import { configOf, isAtTerminal, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { syncOrFormer } from "../run/former-sync.ts";
import { withStateThere } from "../run/mapped-rows.ts";
import { assertIdle } from "../status/idle.ts";
import { eventsOfKey, unreadConnections } from "./events-of-key.ts";
import { eraseElsewhere, isPlacedAt, sumOfErased } from "./other-targets.ts";
import { eraseStaged } from "./staged-files.ts";

type ForgetOptions = GlobalOptions & { readonly yes?: boolean };

/** What was erased, and what cannot be. */
type Forgotten = Omit<Erased, "keyLists"> & {
  readonly key_lists: number;
  /** Payloads in the inbox. */
  readonly events: number;
  /** Staged files that held a line of the key. */
  readonly staged_files: number;
  /** Whether the store's files no longer hold any of it, as far as is known here. */
  readonly is_shredded: boolean;
  readonly unreached: readonly string[];
};

type Kind = Exclude<keyof Forgotten, "is_shredded" | "unreached">;

/** The names for one of each, and for several. */
const names: Readonly<Record<Kind, readonly [one: string, several: string]>> = {
  fingerprints: [
    "fingerprint, with the hashes of its fields",
    "fingerprints, with the hashes of their fields",
  ],
  rejects: ["reject, with its row", "rejects, with their rows"],
  notes: ["refusal or doubt", "refusals and doubts"],
  key_lists: ["list of keys that it was in", "lists of keys that it was in"],
  samples: ["sample record of a backfill", "sample records of backfills"],
  results: ["result on a kept page of a pull", "results on kept pages of pulls"],
  positions: ["position of a run that was named by it", "positions of runs that were named by it"],
  events: ["payload in the inbox", "payloads in the inbox"],
  staged_files: ["staged file with a line of it", "staged files with a line of it"],
};

/** What no command of this project can erase, and why. */
function unreachedOf(
  config: Config,
  { name, connection }: SyncConfig,
  found: {
    readonly isShredded: boolean;
    readonly isAtKey: boolean;
    /** Whether its source is pushed to. */
    readonly isPushed: boolean;
    /** Connections that have events but are read by no sync. */
    readonly unread: readonly string[];
  },
): readonly string[] {
  const { isShredded, isAtKey, isPushed, unread } = found;
  const { file, store, syncs, pulls } = config;
  const others = [...syncs.values()].filter((sync) => sync.name !== name);
  return [
    `the source: while connection ${connection} has the row, the next run that reads it sends it again`,
    config.api.baseUrl === "sandbox"
      ? "the sandbox, which is used in place of the service: its folder is `sandbox` in the state folder"
      : "the service: it has no way to delete a record",
    "backups and copies of the state folder, of the database and of logs that others keep",
    ...(pulls.size === 0 ? [] : ["files and tables that pulls have written into"]),
    ...(isAtKey ? ["the checkpoint of the sync, until a run has continued from it"] : []),
    ...(isPushed
      ? ["hashes of its events, by which repeated ones are known, until a week after they came"]
      : []),
    ...(store === undefined
      ? []
      : [
          "the files of the Postgres server: removed rows stay in them until `vacuum full`, and in its log",
          "staged files in the state folders of other hosts: run the same command there",
        ]),
    ...(others.length === 0
      ? []
      : [
          `other syncs: ${others.map((sync) => sync.name).join(", ")}, each by a command of its own`,
        ]),
    ...unread.map(
      (one) =>
        `events of ${one} in the inbox, which no sync reads: have ${name} read ${one} in a copy of ` +
        `${basename(file)} in the same folder, and add \`--config <the copy>\``,
    ),
    "Temporal's histories of backfills that were started with this key",
    ...(isShredded || store !== undefined
      ? []
      : [
          "the log of the state store, which another process reads now: run the command again when it has ended",
        ]),
  ];
}

/**
 * Erases payloads, then what a run has kept that read them after the key was erased.
 * @throws {BusyError} such a run is open, or a request of it may still be applied.
 */
async function eraseEvents(
  state: StateStore,
  config: Config,
  of: {
    readonly connection: string;
    readonly seqs: readonly number[];
    readonly key: Parameters<StateStore["eraseKey"]>[0];
  },
): Promise<{ readonly since: Erased; readonly isShredded: boolean }> {
  const { connection, seqs, key } = of;
  const inbox = await openInbox(config);
  try {
    const isShredded = await inbox.erase({ connection, seqs });
    return { since: await state.eraseKey(key), isShredded };
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    throw new BusyError(`${error.message}, and began before the key was out of the inbox`, {
      hint: "the key is out of the inbox now, but not of that run: run the same command again when it is over",
    });
  } finally {
    await inbox.close();
  }
}

/**
 * Erases a key of a sync wherever it is within reach, also what is kept for another service or account.
 * @throws {BusyError} a run of the sync is open or held, or a request with the key may still be applied.
 */
export async function forgetIn(
  state: StateStore,
  of: { readonly config: Config; readonly sync: SyncConfig; readonly key: string },
): Promise<Forgotten> {
  const { config, sync, key } = of;
  const target = targetOf(config.api);
  await assertIdle(state, config, { target, sync: sync.name });
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  const seqs = source.push === undefined ? [] : await eventsOfKey(source, sync, key);
  const ofKey = { target, sync: sync.name, key, now: systemClock()() };
  // First, as it is refused while a request may bring back what only a payload could set right.
  let erased = await state.eraseKey(ofKey);
  let isInboxShredded = true;
  if (source.push !== undefined) {
    const { connection } = sync;
    // Without payloads, too: the command may be repeated because the log still held them.
    const events = await eraseEvents(state, config, { connection, seqs, key: ofKey });
    erased = sumOfErased(erased, events.since);
    isInboxShredded = events.isShredded;
  }
  const stagingFolder = join(config.stateFolder, "staging");
  const staged = await eraseStaged(state, { stagingFolder, target, sync: sync.name, key });
  const elsewhere = await eraseElsewhere(state, { config, sync, source, key });
  erased = sumOfErased(erased, elsewhere.erased);
  const isShredded = (await state.shred()) && isInboxShredded;
  const { position } = await state.checkpoint({ target, sync: sync.name });
  const unread = await unreadConnections(config);
  const isPushed = source.push !== undefined;
  const isAtKey = isPlacedAt(source, { position, key });
  const left = { isShredded, isAtKey, isPushed, unread };
  const { keyLists, ...others } = erased;
  return {
    ...others,
    key_lists: keyLists,
    events: seqs.length,
    staged_files: staged + elsewhere.staged,
    is_shredded: isShredded,
    unreached: [...unreachedOf(config, sync, left), ...elsewhere.unreached],
  };
}

function isKind(name: string): name is Kind {
  return Object.hasOwn(names, name);
}

function forgottenText(forgotten: Forgotten, sync: string): string {
  const erased = Object.entries(forgotten).flatMap(([name, count]) => {
    return isKind(name) && typeof count === "number" && count > 0
      ? [`  ${grouped(count)} ${names[name][count === 1 ? 0 : 1]}`]
      : [];
  });
  const all = erased.length === 0 ? ["  nothing was kept of this key"] : erased;
  const unreached = forgotten.unreached.map((what) => `  ${plainText(what)}`);
  return [`${sync}: erased`, ...all, "not within reach", ...unreached].join("\n");
}

/** Asks, unless `--yes` was given; undefined after Ctrl-C. @throws {ConfigError} nobody can be asked. */
async function isAgreed(
  context: Context,
  sync: string,
  options: ForgetOptions,
): Promise<boolean | undefined> {
  if (options.yes === true) return true;
  if (!isAtTerminal(context)) {
    throw new ConfigError("nothing was erased: without a terminal to ask at, forget needs --yes");
  }
  const question = `Erase all that is kept of this key of ${sync}? It cannot be undone. [y/N] `;
  return await isConfirmed(question, onInterrupt());
}

async function forget(
  context: Context,
  {
    name,
    key,
    options,
  }: { readonly name: string; readonly key: string; readonly options: ForgetOptions },
): Promise<void> {
  const config = await configOf(context, options);
  const sync = await syncOrFormer(config, name);
  if (key === "") throw new ConfigError("the key is empty");
  const agreed = await isAgreed(context, sync.name, options);
  if (agreed !== true) {
    context.say("nothing was erased");
    context.exit(agreed === undefined ? exitCodes.interrupted : exitCodes.failed);
    return;
  }
  const forgotten = await withStateThere(config, async (state) => {
    if (state === undefined) throw new ConfigError(`nothing of sync ${sync.name} is kept here`);
    return await forgetIn(state, { config, sync, key });
  });
  context.print(
    options.json === true
      ? JSON.stringify({ sync: sync.name, ...forgotten })
      : forgottenText(forgotten, sync.name),
  );
}

/** `sluice forget <sync> <key>`. */
export const registerForget: Register = (program, context) => {
  withGlobals(program.command("forget <sync> <key>"))
    .summary("erase all that is kept of a person or account here")
    .description(
      "erase what is kept of a key: rejects with their rows, payloads in the inbox, kept pages, staged lines, " +
        "fingerprints and key lists; says what is not within reach",
    )
    .option("--yes", "do not ask")
    .action(
      async (name: string, key: string, options: ForgetOptions) =>
        await forget(context, { name, key, options }),
    );
};
