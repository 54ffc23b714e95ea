import { silentLog, type Finding } from "../../../connectors/contract/request.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import { assertSameSides } from "../../../connectors/same-sides.ts";
import {
  readRequestOf,
  checkColumns,
  checkWriteBack,
  connectorOf,
} from "../../../connectors/source.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { readPlaces, type Places } from "../../config/document/places.ts";
import { canonicalJson } from "../../config/hash.ts";
import { writtenMembers } from "../../config/schema/sources.ts";
import type { ConnectionConfig, SourceConfig } from "../../config/schema/sources.ts";
import { messageOf, SluiceError } from "../../errors.ts";
import { lookAtStore } from "../../state/postgres/look-at-store.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { sourceMsMax } from "../limits.ts";
import { connectionNamed } from "../named.ts";
import { configOf, readState, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodeOfError, exitCodes } from "../output/exit-code.ts";
import { noteMark, okOrFail } from "../output/style.ts";
import { useService } from "../running/services.ts";
import { storeText } from "../status/store.ts";
import { checkGuardrails } from "./checks/check-guardrails.ts";
import { checkKeys } from "./checks/check-keys.ts";
import { checkSpeed, type Note } from "./checks/check-speed.ts";
import { pingService } from "./ping.ts";

/** A finding and its subject: a connection as something reads it, or the service. */
type Found = Finding & { readonly subject: string; readonly exitCode?: number | undefined };

/** The subject of findings about a store in Postgres. */
const stateStore = "state store";

/** The name of the finding that says whether the state can be used: a server that is reached may lack its tables. */
const usable = "usable";

/** Runs one look; a SluiceError that it throws becomes a finding. */
async function finding(
  name: string,
  look: () => Promise<string | undefined>,
): Promise<Omit<Found, "subject">> {
  try {
    return { name, ok: true, detail: await look() };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const exitCode = exitCodeOfError(error);
    return { name, ok: false, detail: error.message, fix: error.hint, exitCode };
  }
}

/** One look at a connection. Whatever its connector throws becomes a finding, and hides no other connection's. */
async function sourceFinding(
  name: string,
  connection: string,
  look: () => Promise<string | undefined>,
): Promise<Omit<Found, "subject">> {
  try {
    return await finding(name, look);
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const late = `connection ${connection} gave no answer within ${sourceMsMax / 1_000} s`;
    return { name, ok: false, detail: isLate ? late : messageOf(error) };
  }
}

/** A connection as something uses it. */
type Use = Pick<SourceConfig, "connection" | "connector" | "connectorConfig"> & {
  readonly subject: string;
};

/** The connections as syncs and pulls read them, each way once; one that nothing reads, as it is configured. */
function usesOf(config: Config, wanted: readonly ConnectionConfig[]): readonly Use[] {
  const readers = [
    ...[...config.syncs].map(([name, sync]) => ({ reader: `sync ${name}`, from: sync })),
    ...[...config.pulls].map(([name, pull]) => ({
      reader: `pull ${name}`,
      from: pull.domainsFrom,
    })),
  ];
  return wanted.flatMap(({ name, connector, config: own }) => {
    const uses = new Map<string, Use>();
    for (const { reader, from } of readers) {
      if (from?.connection !== name) continue;
      const { connectorConfig } = from;
      const way = canonicalJson(writtenMembers(connectorConfig));
      const subject = way === canonicalJson(writtenMembers(own)) ? name : `${name} (${reader})`;
      if (!uses.has(way)) uses.set(way, { subject, connection: name, connector, connectorConfig });
    }
    return uses.size === 0
      ? [{ subject: name, connection: name, connector, connectorConfig: own }]
      : [...uses.values()];
  });
}

async function checkUse(config: Config, { subject, ...from }: Use): Promise<Found[]> {
  const source = sourcesOf(config).get(from.connector);
  const request = readRequestOf(from, AbortSignal.timeout(sourceMsMax));
  let findings: readonly Finding[] = [];
  const whole = await sourceFinding("source", from.connection, async () => {
    findings = (await source?.check?.(request)) ?? [];
    return "not looked at, because its connector has no check";
  });
  return (findings.length > 0 ? findings : [whole]).map((found) => ({ ...found, subject }));
}

/**
 * Finds the syncs whose runs would stop, because their account or source is not the one that their checkpoint belongs
 * to.
 */
async function checkSides(config: Config, syncs: readonly SyncConfig[]): Promise<Found[]> {
  if (syncs.length === 0) return [];
  const sources = sourcesOf(config);
  const signal = AbortSignal.timeout(sourceMsMax);
  const look = async (state: StateStore, sync: SyncConfig): Promise<Found> => {
    const found = await sourceFinding("account and source", sync.connection, async () => {
      const deps = { config, state, target: targetOf(config.api), now: Date.now, log: silentLog };
      const source = connectorOf({ sources }, sync.connector);
      await assertSameSides(deps, { sync, source, isKept: false }, signal);
      return undefined;
    });
    return { ...found, subject: `sync ${sync.name}` };
  };
  let found: readonly Found[] = [];
  const opened = await finding(usable, async () => {
    found = await readState(
      config,
      async (state) => await Promise.all(syncs.map(async (sync) => await look(state, sync))),
    );
    return undefined;
  });
  const subject = config.store === undefined ? "state folder" : stateStore;
  return [{ ...opened, subject }, ...found].filter(({ ok }) => !ok);
}

/**
 * Checks what `run` and `pull` need beyond a source that can be read: the columns and the key of each mapping, and a
 * table to write to.
 */
async function checkNeeds(config: Config, wanted: readonly ConnectionConfig[]): Promise<Found[]> {
  const sources = sourcesOf(config);
  const isWanted = (connection: string): boolean => wanted.some(({ name }) => name === connection);
  const signal = AbortSignal.timeout(sourceMsMax);
  const syncs = [...config.syncs.values()].filter(({ connection }) => isWanted(connection));
  const mappings = syncs
    .filter(({ connector }) => sources.get(connector)?.columns !== undefined)
    .map(async (sync): Promise<Found> => {
      const found = await sourceFinding("mapping", sync.connection, async () => {
        const source = connectorOf({ sources }, sync.connector);
        await checkColumns(source, sync, { signal, mayName: true });
        return "every column that it reads is there";
      });
      return { ...found, subject: `sync ${sync.name}` };
    });
  const tables = [...config.pulls.values()]
    .filter(({ writeBack }) => isWanted(writeBack.connection))
    .map(async (pull): Promise<Found> => {
      const found = await sourceFinding("write-back", pull.writeBack.connection, async () => {
        await checkWriteBack({ sources }, pull, signal);
        return "it can be written";
      });
      return { ...found, subject: `pull ${pull.name}` };
    });
  const sides = checkSides(config, syncs);
  const keys = syncs.map(async (sync): Promise<readonly Found[]> => {
    let found: readonly Found[] = [];
    const whole = await sourceFinding("rows of a record", sync.connection, async () => {
      found = await checkKeys(config, sync);
      return undefined;
    });
    return whole.ok ? found : [{ ...whole, subject: `sync ${sync.name}` }];
  });
  return (await Promise.all([...mappings, ...tables, sides, ...keys])).flat();
}

/** Adds findings, without those that only repeat an earlier one: a store that is away is reported once. */
function addNew(found: Found[], more: readonly Found[]): void {
  const told = new Set(found.map(({ detail }) => detail));
  found.push(...more.filter(({ ok, detail }) => ok || !told.has(detail)));
}

type Shown = { readonly context: Context; readonly isJson: boolean };

function showFound(
  { subject, ok, name: step, detail, fix }: Found,
  { context, isJson }: Shown,
): void {
  if (isJson) return context.print(plainJson({ subject, name: step, ok, detail, fix }));
  const told = detail === undefined ? step : `${step}: ${detail}`;
  context.print(`${okOrFail(ok)}  ${plainText(`${subject}: ${told}`)}`);
  if (fix !== undefined) context.print(`      → ${plainText(fix)}`);
}

/** The notes on the syncs of connections, in the order of the file, and what their connectors threw instead. */
async function notesOf(
  config: Config,
  wanted: readonly ConnectionConfig[],
  places: Places,
): Promise<{ readonly notes: readonly Note[]; readonly failed: readonly Found[] }> {
  const sources = sourcesOf(config);
  const names = new Set(wanted.map(({ name }) => name));
  const syncs = [...config.syncs.values()].filter(({ connection }) => names.has(connection));
  const looks = syncs.map(async (sync) => {
    let notes: readonly Note[] = [];
    const looked = await sourceFinding("speed", sync.connection, async () => {
      const source = connectorOf({ sources }, sync.connector);
      notes = checkGuardrails(source, sync, places);
      notes = [...(await checkSpeed(source, sync, places)), ...notes];
      return undefined;
    });
    return { notes, found: { ...looked, subject: `sync ${sync.name}` } };
  });
  const all = await Promise.all(looks);
  return {
    notes: all.flatMap(({ notes }) => notes),
    failed: all.map(({ found }) => found).filter(({ ok }) => !ok),
  };
}

function showNote({ subject, place, detail }: Note, { context, isJson }: Shown): void {
  if (isJson)
    return context.print(plainJson({ subject, name: place, ok: true, isNote: true, detail }));
  context.print(`${noteMark()}  ${plainText(`${subject}: ${place}: ${detail}`)}`);
}

/** `sluice check [connection]`. */
export const registerCheck: Register = (program, context) => {
  withGlobals(program.command("check [connection]"), "lines")
    .description("check whether sources and the service can be reached, step by step")
    .action(async (name: string | undefined, options: GlobalOptions) => {
      const config = await configOf(context, options);
      const wanted =
        name === undefined ? [...config.connections.values()] : [connectionNamed(config, name)];
      const checking = usesOf(config, wanted).map(async (use) => await checkUse(config, use));
      const found: Found[] = (await Promise.all(checking)).flat();
      // For a connection that cannot be reached, the rest would only say the same again.
      const isReached = ({ name: connection }: ConnectionConfig): boolean =>
        found.some(({ ok, subject }) => ok && subject.split(" ")[0] === connection);
      const reached = wanted.filter(isReached);
      addNew(found, await checkNeeds(config, reached));
      const { store } = config;
      if (name === undefined && store !== undefined) {
        const looked = await finding(usable, async () => storeText(await lookAtStore(store)));
        addNew(found, [{ ...looked, subject: stateStore }]);
      }
      if (name === undefined) {
        const ping = await finding("ping and key", async () => {
          if (config.api.legacyBaseUrl === undefined)
            return "not asked: api.legacy_base_url is not set";
          const service = await useService(config, context);
          try {
            await withState(config, async (state) => {
              await pingService(config, { addresses: service.addresses, state, context });
            });
            return service.addresses.legacyBaseUrl.origin;
          } finally {
            await service.release();
          }
        });
        addNew(found, [{ ...ping, subject: "service" }]);
      }
      const { cwd, environment } = context;
      const search = { path: options.config, cwd, env: environment.variables };
      const { notes, failed: unnoted } = await notesOf(config, reached, await readPlaces(search));
      addNew(found, unnoted);
      const shown = { context, isJson: options.json === true };
      for (const one of found) showFound(one, shown);
      for (const note of context.isQuiet?.() === true ? [] : notes) showNote(note, shown);
      const failed = found.filter(({ ok }) => !ok);
      const codes = failed.map(({ exitCode }) => exitCode ?? exitCodes.failed);
      if (codes.length > 0) context.exit(Math.max(...codes));
    });
};
