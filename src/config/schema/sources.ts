import { existsSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { SluiceError } from "../../errors.ts";
import { crossesThreads, Secret } from "../../security/secret.ts";
import type { StateAddress } from "../../state/open.ts";
import type { Path } from "../document/document.ts";
import { canonicalJson } from "../hash.ts";
import { didYouMean } from "../messages/did-you-mean.ts";
import { checkData } from "../messages/mistakes.ts";
import type { Checked, Mistake } from "../messages/mistakes.ts";
import { nameOnly } from "../messages/shown-text.ts";
import { membersOf } from "./members.ts";
import { schemaFault } from "./schema-fault.ts";

/**
 * The parts of a connector that a configuration needs. `config` is the schema of a connection's members, overridden by
 * those of `from`. A connector that takes a member `folder` gets the folder of `sluice.yaml` there, and one that takes
 * `first_wins` gets whether a sync sends the first row of a key and rejects the others; neither may be written in the
 * file.
 */
export type ConnectorSchema = {
  readonly config: z.ZodType;
  /** Present in a connector that can write values back. */
  readonly write?: unknown;
  /** As in the connector (`connectors/contract/connector.ts`); without it a run resumes where the last one ended. */
  restart?(config: unknown): "each-run" | "resume";
  /** Present in a connector that is pushed to. */
  readonly push?: { endpoint(config: unknown): { readonly path: string } } | undefined;
};

/** The members that the engine gives, and why nobody may write them. */
const given = {
  folder: "relative paths start from the folder of this file",
  first_wins: "send and duplicate_keys of a sync say it",
} as const;

/** Whether a member of a connector's configuration is one that the engine gives. */
export function isGiven(name: string): boolean {
  return Object.hasOwn(given, name);
}

/** A connector's configuration without the members that the engine gives. */
export function writtenMembers(config: unknown): Readonly<Record<string, unknown>> {
  const members = Object.entries(membersOf(config));
  return Object.fromEntries(members.filter(([name]) => !isGiven(name)));
}

const pushedConfig = z.object({
  /** Output of the connector's schema. */
  settings: z.unknown(),
  /** The connection that its events have in the inbox. */
  connection: z.string(),
  /** Where the inbox is. */
  inbox: z.object({
    stateFolder: z.string(),
    store: z
      .object({ url: z.instanceof(Secret), schema: z.string(), project: z.string().optional() })
      .optional(),
  }),
});

/** The configuration of a connector that is pushed to. */
export type PushedConfig = Omit<z.output<typeof pushedConfig>, "inbox"> & {
  readonly inbox: StateAddress;
};

/** Whether a configuration can be compared with another one. */
function isData(output: unknown): boolean {
  try {
    canonicalJson(output);
    return true;
  } catch {
    return false;
  }
}

/** Whether a configuration belongs to a connector that is pushed to. */
export function isPushedConfig(config: unknown): config is PushedConfig {
  return pushedConfig.strict().safeParse(config).success;
}

/** Reads any connector's configuration as one of a connector that is pushed to. */
export function pushedConfigOf(config: unknown): PushedConfig {
  return pushedConfig.parse(config);
}

/** A configured connector. */
export type ConnectionConfig = {
  readonly name: string;
  readonly connector: string;
  /** Output of the connector's schema; for one that is pushed to, a `PushedConfig`. */
  readonly config: unknown;
};

/** The source of a sync: a connection, with its members overridden by those of the sync's `from`. */
export type SourceConfig = {
  readonly connection: string;
  readonly connector: string;
  /** Output of the connector's schema; for one that is pushed to, a `PushedConfig`. */
  readonly connectorConfig: unknown;
};

/** The connection that a pull writes to, and the one from which it reads its domains. */
export type PullSources = {
  readonly writeBack: SourceConfig;
  /** Undefined for a search. */
  readonly domainsFrom: SourceConfig | undefined;
};

/** The connections and their uses by syncs and pulls, as far as they are valid, and the mistakes in the others. */
export type Sources = {
  readonly connections: ReadonlyMap<string, ConnectionConfig>;
  /** By the sync's name. */
  readonly bySync: ReadonlyMap<string, SourceConfig>;
  /** By the pull's name. */
  readonly byPull: ReadonlyMap<string, PullSources>;
  readonly mistakes: readonly Mistake[];
};

type Members = Readonly<Record<string, unknown>>;

/** Members of `write_back` and `domains_from` that belong to the pull and not to the connector. */
const ownMembers = { write_back: ["key", "set"], domains_from: ["column"] } as const;

type SourcesInput = {
  readonly data: unknown;
  readonly connectors: ReadonlyMap<string, ConnectorSchema>;
  /** For each other connector that connections name, why it cannot be loaded. */
  readonly unloaded: ReadonlyMap<string, string>;
  readonly folder: string;
  /** Where pushed events are. */
  readonly inbox: StateAddress;
};

/**
 * Parses every connection by its connector's schema, alone and as each sync and pull uses it. Takes unchecked data and
 * skips whatever the configuration's own schema refuses, so that one look finds the mistakes of both.
 */
export function resolveSources(input: SourcesInput): Sources {
  const resolver = new Resolver(input);
  const connections = resolver.connections();
  const bySync = new Map<string, SourceConfig>();
  const byPull = new Map<string, PullSources>();
  for (const [sync, value] of Object.entries(membersOf(membersOf(input.data)["syncs"]))) {
    const source = resolver.ofSync(membersOf(value), ["syncs", sync, "from"]);
    if (source !== undefined) bySync.set(sync, source);
  }
  for (const [pull, value] of Object.entries(membersOf(membersOf(input.data)["pulls"]))) {
    const { write_back: target, job_postings: postings } = membersOf(value);
    const writeBack = resolver.writeBack(target, ["pulls", pull, "write_back"]);
    const domains = membersOf(postings)["domains_from"];
    const path = ["pulls", pull, "job_postings", "domains_from"];
    const domainsFrom = resolver.read(domains, path);
    if (writeBack !== undefined) byPull.set(pull, { writeBack, domainsFrom });
  }
  return { connections, bySync, byPull, mistakes: resolver.mistakes };
}

/** Looks up connections, and collects the mistakes in them and in their uses. */
class Resolver {
  readonly mistakes: Mistake[] = [];
  readonly #input: SourcesInput;
  readonly #written: Members;

  constructor(input: SourcesInput) {
    this.#input = input;
    this.#written = membersOf(membersOf(input.data)["connections"]);
  }

  connections(): ReadonlyMap<string, ConnectionConfig> {
    const connections = new Map<string, ConnectionConfig>();
    for (const [name, value] of Object.entries(this.#written)) {
      const connection = membersOf(value);
      const path = ["connections", name];
      this.mistakes.push(...connectorMistakes(connection["connector"], path, this.#input));
      const parsed = this.#parse({
        name,
        connection,
        connectionPath: path,
        from: {},
        fromPath: path,
      });
      if (parsed === undefined) continue;
      connections.set(name, { name, connector: String(connection["connector"]), ...parsed });
    }
    return connections;
  }

  /** The connection that a sync reads. */
  ofSync(sync: Members, path: Path): SourceConfig | undefined {
    const { from, send, duplicate_keys: duplicates } = sync;
    return this.use(from, path, { firstWins: send !== "all" && duplicates !== "send" });
  }

  /**
   * Looks up a connection by its name alone, or by a group of members that names it; leaves out the members in `less`.
   */
  use(
    used: unknown,
    fromPath: Path,
    { less = [], firstWins = false }: UseOptions = {},
  ): SourceConfig | undefined {
    const isName = typeof used === "string";
    const { connection: name, ...members } = isName ? { connection: used } : membersOf(used);
    if (typeof name !== "string") return undefined;
    if (!Object.hasOwn(this.#written, name)) {
      this.mistakes.push({
        path: isName ? fromPath : [...fromPath, "connection"],
        on: "value",
        message: `no connection has this name${didYouMean(name, Object.keys(this.#written))}`,
      });
      return undefined;
    }
    const connection = membersOf(this.#written[name]);
    const own = Object.entries(members).filter(([member]) => !less.includes(member));
    const from = Object.fromEntries(own);
    const connectionPath = ["connections", name];
    const connector = String(connection["connector"]);
    const isPush = this.#input.connectors.get(connector)?.push !== undefined;
    const [extra] = isPush ? Object.keys(from) : [];
    if (extra !== undefined) {
      const message = `unknown member "${nameOnly(extra)}": every sync of ${name} reads all that is pushed to it`;
      this.mistakes.push({ path: [...fromPath, extra], on: "name", message });
      return undefined;
    }
    const source = { name, connection, connectionPath, from, fromPath };
    const parsed = this.#parse(source, firstWins ? { first_wins: true } : {});
    if (parsed === undefined) return undefined;
    return { connection: name, connector, connectorConfig: parsed.config };
  }

  /** The same for a connection from which a pull reads its domains. */
  read(used: unknown, path: Path): SourceConfig | undefined {
    const found = this.use(used, path, { less: ownMembers.domains_from });
    if (found === undefined || this.#input.connectors.get(found.connector)?.push === undefined) {
      return found;
    }
    const message = "only syncs can read a webhook connection";
    this.mistakes.push({ path: [...path, "connection"], on: "value", message });
    return undefined;
  }

  /** The same for a connection that is written to. */
  writeBack(used: unknown, path: Path): SourceConfig | undefined {
    const found = this.use(used, path, { less: ownMembers.write_back });
    if (found === undefined) return undefined;
    const { connector } = found;
    if (this.#input.connectors.get(connector)?.write !== undefined) return found;
    const message = `the connector ${connector} writes nothing back`;
    this.mistakes.push({ path: [...path, "connection"], on: "value", message });
    return undefined;
  }

  #parse(source: Source, more: Members = {}): { readonly config: unknown } | undefined {
    const { connector, ...members } = source.connection;
    const schema = this.#input.connectors.get(String(connector));
    if (schema === undefined) return undefined;
    const own = { ...members, ...source.from };
    const { folder } = this.#input;
    const check = (): Checked<unknown> => checkSource(schema.config, own, { folder, ...more });
    const { output, mistakes } = orFault(check, { connector: String(connector), folder });
    this.mistakes.push(
      ...mistakes.map((mistake) => ({ ...mistake, path: pathIn(source, mistake.path) })),
    );
    if (mistakes.length > 0) return undefined;
    if (!crossesThreads(output) || !isData(output)) {
      this.mistakes.push({
        path: [...source.connectionPath, "connector"],
        on: "value",
        message:
          `${String(connector)} makes a value of its members that cannot be handed to a thread: its ` +
          "config may give texts, numbers, lists, plain objects and what secret() makes",
      });
      return undefined;
    }
    if (schema.push === undefined) return { config: output };
    const { inbox } = this.#input;
    const config: PushedConfig = { settings: output, connection: source.name, inbox };
    return { config };
  }
}

type UseOptions = {
  /** Members that are not the connector's. */
  readonly less?: readonly string[];
  /** See `ConnectorSchema`. @default false */
  readonly firstWins?: boolean;
};

type Source = {
  readonly name: string;
  readonly connection: Members;
  readonly connectionPath: Path;
  readonly from: Members;
  readonly fromPath: Path;
};

/** The result of a check; where code of the schema threw instead, a mistake of the connector. */
function orFault(
  check: () => Checked<unknown>,
  named: { readonly connector: string; readonly folder: string },
): Checked<unknown> {
  try {
    return check();
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    const message = schemaFault(error, named);
    return { output: undefined, mistakes: [{ path: ["connector"], on: "value", message }] };
  }
}

/** Parses members together with those that the engine gives, as far as the schema takes the latter. */
function checkSource(schema: z.ZodType, members: Members, toGive: Members): Checked<unknown> {
  const own = writtenMembers(members);
  const whole = checkData(schema, { ...own, ...toGive });
  const isTaken = (name: string): boolean =>
    whole.mistakes.every(({ path, on }) => path[0] !== name || on !== "name");
  const taken = Object.entries(toGive).filter(([name]) => isTaken(name));
  const isWhole = taken.length === Object.keys(toGive).length;
  const { output, mistakes } = isWhole
    ? whole
    : checkData(schema, { ...own, ...Object.fromEntries(taken) });
  const written = Object.entries(given).filter(([name]) => members[name] !== undefined);
  if (written.length === 0) return { output, mistakes };
  const refused = written.map(([name, why]): Mistake => {
    return { path: [name], on: "name", message: `unknown member "${name}": ${why}` };
  });
  return { output: undefined, mistakes: [...mistakes, ...refused] };
}

/**
 * Where a member of the merged configuration is written: `from` wins; a member that neither has is missing in the
 * connection.
 */
function pathIn(source: Source, path: Path): Path {
  const [member] = path;
  const isOfFrom = member !== undefined && Object.hasOwn(source.from, member);
  return [...(isOfFrom ? source.fromPath : source.connectionPath), ...path];
}

function connectorMistakes(
  connector: unknown,
  path: Path,
  { connectors, unloaded, folder }: SourcesInput,
): readonly Mistake[] {
  if (typeof connector !== "string" || connectors.has(connector)) return [];
  const known = [...connectors.keys()];
  // A path begins with a dot, so that the name of a connector never means a file that happens to exist.
  const isFile = connector !== "" && existsSync(join(folder, connector));
  const meant = didYouMean(connector, known) || (isFile ? ` (did you mean "./${connector}"?)` : "");
  const message =
    unloaded.get(connector) ?? `no connector has this name${meant}; there are ${known.join(", ")}`;
  return [{ path: [...path, "connector"], on: "value", message }];
}
