import type { Command } from "commander";

import { sourcesOf } from "../../../connectors/registry.ts";
import { checkColumns, connectorOf } from "../../../connectors/source.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import { fieldsOf, mappingHash, mappingToKeep } from "../../mapping/load.ts";
import type { RecordMapping } from "../../mapping/schema.ts";
import { keyFieldOf } from "../../records/streams.ts";
import type { KeptMapping } from "../../state/contract/keys/adoptions.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions } from "../output/context.ts";
import { adoptAll } from "../plan/adopt-records.ts";
import { keptOf } from "../plan/deployed.ts";
import { mappingEdit, mappingOfText } from "../plan/mapping-edit.ts";

type AdoptOptions = GlobalOptions & {
  readonly fields?: string;
  readonly undo?: boolean;
  readonly reason: string;
};

/** A sync, with what is needed to change what is known about it. */
type At = { readonly config: Config; readonly sync: SyncConfig; readonly state: StateStore };

/** @throws {ConfigError} there is nothing to adopt: the sync sends every row, or is pushed to. */
function refuseSync({ config, sync }: Omit<At, "state">): void {
  const { name, send, connector } = sync;
  const isPushed = connectorOf({ sources: sourcesOf(config) }, connector).push !== undefined;
  if (send !== "all" && !isPushed) return;
  const why =
    send === "all"
      ? "has `send: all`: it sends every row, whatever the service holds"
      : "is pushed to: each event is mapped once, as it came";
  throw new ConfigError(`sync ${name} ${why}, so there is nothing to adopt`, {
    field: `syncs.${name}`,
  });
}

/**
 * The mapping that was deployed before today's; today's may have made a few records already.
 * @throws {ConfigError} there is none, or its text is gone.
 */
function deployedToAdopt(
  sync: SyncConfig,
  { deployed, all }: Awaited<ReturnType<typeof keptOf>>,
): string {
  const { name } = sync;
  const now = mappingHash(sync);
  if (deployed === undefined) {
    throw new ConfigError(`no run of sync ${name} has sent anything yet that the store knows`, {
      hint: `\`sluice plan ${name}\` says what the first one would send`,
    });
  }
  const before = all.find(({ mapping, deployed: last }) => last > 0 && mapping !== now);
  if (before === undefined) {
    throw new ConfigError(
      `the mapping of sync ${name} is the one of its last run: nothing to adopt`,
    );
  }
  if (before.written === null) {
    throw new ConfigError(
      `before, sync ${name} was mapped by a module, whose text of then is gone: nobody knows what it made`,
      { field: `syncs.${name}.record`, hint: `\`sluice run ${name}\` sends what has changed` },
    );
  }
  return before.written;
}

/** @throws {ConfigError} a field is not there, or is mapped as it was; or the stream or the key is another. */
function checkFields(sync: SyncConfig, written: string, fields: readonly string[]): void {
  const before = mappingOfText(written);
  const edit = mappingEdit(before, sync);
  const key = keyFieldOf(sync.stream);
  const field = `syncs.${sync.name}.record`;
  if (before.stream !== sync.stream || edit?.changed.includes(key) === true) {
    throw new ConfigError(
      `sync ${sync.name} makes other records than before: its stream or its key is another`,
      { field, hint: "a record of another key cannot be held already" },
    );
  }
  if (edit === undefined) return;
  const edited = [...edit.added, ...edit.removed, ...edit.changed];
  const all = new Set([...edited, ...(fieldsOf(sync) ?? [])]);
  for (const asked of fields) {
    if (edited.includes(asked)) continue;
    const why = all.has(asked)
      ? `field ${asked} of sync ${sync.name} is mapped as it was before`
      : `sync ${sync.name} has no field ${asked}${didYouMean(asked, [...all])}`;
    throw new ConfigError(why, { field, hint: `the fields that differ are ${edited.join(", ")}` });
  }
}

/** The mappings that may have made what the service holds. */
function mappingsBefore(sync: SyncConfig, all: readonly KeptMapping[]): readonly RecordMapping[] {
  const now = mappingHash(sync);
  return all.flatMap(({ mapping, written }) => {
    if (written === null || mapping === now) return [];
    const { stream, record } = mappingOfText(written);
    return stream === sync.stream ? [record] : [];
  });
}

async function adopt(
  context: Context,
  { config, sync, state }: At,
  { fields: asked = "", reason, json }: AdoptOptions,
): Promise<void> {
  refuseSync({ config, sync });
  const fields = asked.split(",").map((field) => field.trim());
  const target = targetOf(config.api);
  const name = { target, sync: sync.name };
  const kept = await keptOf(state, { sync, target });
  checkFields(sync, deployedToAdopt(sync, kept), fields);
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  const { signal } = new AbortController();
  await checkColumns(source, sync, { signal, mayName: true });
  const at = new Date(state.now()).toISOString();
  const adoption = await state.beginAdoption({ ...name, fields, reason, at });
  // Its records may be what counts as held when the mapping is edited again.
  await state.keepMapping({ ...name, ...mappingToKeep(sync) });
  const of = { sync, source, target, state, adoption, fields: new Set(fields), signal };
  const { adopted, left } = await adoptAll({ ...of, before: mappingsBefore(sync, kept.all) });
  if (json === true) {
    context.print(plainJson({ sync: sync.name, adoption, fields, adopted, left }));
    return;
  }
  context.print(
    plainText(
      `${counted(adopted, "record")} of ${sync.name} ${adopted === 1 ? "is" : "are"} taken for what the service ` +
        `holds; ${counted(left, "other record")} ${left === 1 ? "is" : "are"} left to be sent`,
    ),
  );
}

async function undo(context: Context, { config, sync, state }: At, json: boolean): Promise<void> {
  const name = { target: targetOf(config.api), sync: sync.name };
  const newest = (await state.adoptions(name)).find(({ undoneAt }) => undoneAt === null);
  if (newest === undefined) {
    throw new ConfigError(`sync ${sync.name} has no adoption that could be undone`, {
      hint: `\`sluice state show ${sync.name}\` lists them`,
    });
  }
  const at = new Date(state.now()).toISOString();
  const restored = await state.undoAdoption({ ...name, adoption: newest.id, at });
  if (json) context.print(plainJson({ sync: sync.name, adoption: newest.id, restored }));
  else
    context.print(
      `${counted(restored, "record")} of ${sync.name} ${restored === 1 ? "is" : "are"} known as before again`,
    );
}

/** Adds `sluice state adopt <sync>`. */
export function addAdopt(state: Command, context: Context): void {
  withGlobals(state.command("adopt <sync>"))
    .summary("take today's records for what the service holds, without sending")
    .description(
      "after an edit of a mapping that the service need not know: take today's records for what it holds, where " +
        "the mapping before gives exactly what it is known to hold; nothing is sent",
    )
    .option(
      "--fields <paths>",
      "the fields whose edit the service need not know, separated by commas",
    )
    .option("--undo", "give back what was known before the last time")
    .requiredOption("--reason <text>", "kept with the change")
    .action(async (name: string, options: AdoptOptions) => {
      const config = await configOf(context, options);
      const sync = syncNamed(config, name);
      if ((options.fields === undefined) === (options.undo !== true)) {
        throw new ConfigError("adopt takes --fields or --undo", {
          hint: `\`sluice plan ${sync.name}\` names the fields that differ`,
        });
      }
      await withState(config, async (store) => {
        const at = { config, sync, state: store };
        if (options.undo === true) await undo(context, at, options.json === true);
        else await adopt(context, at, options);
      });
    });
}
