import type { z } from "zod";

import { didYouMean } from "./did-you-mean.ts";
import type { Path } from "./document.ts";
import { membersOf } from "./members.ts";
import { checkData } from "./mistakes.ts";
import type { Checked, Mistake } from "./mistakes.ts";

/**
 * What a configuration needs of a connector: the schema of a connection's members with those of `from` over them. The
 * schema must take a member `folder`: the folder of `sluice.yaml`, which no one may write there.
 */
export type ConnectorSchema = { readonly config: z.ZodType };

/** A configured connector. */
export type ConnectionConfig = {
  readonly name: string;
  readonly connector: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
};

/** What a sync reads from: a connection, with the sync's own members of `from` over the connection's. */
export type SourceConfig = {
  readonly connection: string;
  readonly connector: string;
  /** Output of the connector's schema. */
  readonly connectorConfig: unknown;
};

/** The connections and the syncs' sources, as far as they are right, and what is wrong with the others. */
export type Sources = {
  readonly connections: ReadonlyMap<string, ConnectionConfig>;
  /** By the sync's name. */
  readonly bySync: ReadonlyMap<string, SourceConfig>;
  readonly mistakes: readonly Mistake[];
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Parses every connection by its connector's schema, alone and as each sync reads it. Takes data that nothing has checked
 * and passes over what the configuration's own schema refuses, so that one look finds the mistakes of both.
 */
export function resolveSources(input: {
  readonly data: unknown;
  readonly connectors: ReadonlyMap<string, ConnectorSchema>;
  readonly folder: string;
}): Sources {
  const mistakes: Mistake[] = [];
  const connections = new Map<string, ConnectionConfig>();
  const bySync = new Map<string, SourceConfig>();
  const written = membersOf(membersOf(input.data)["connections"]);

  const parse = (source: Source): { readonly config: unknown } | undefined => {
    const { connector, ...members } = source.connection;
    const schema = input.connectors.get(String(connector));
    if (schema === undefined) return undefined;
    const own = { ...members, ...source.from };
    const { output, mistakes: found } = checkSource(schema.config, own, input.folder);
    mistakes.push(...found.map((mistake) => ({ ...mistake, path: pathIn(source, mistake.path) })));
    return found.length === 0 ? { config: output } : undefined;
  };

  for (const [name, value] of Object.entries(written)) {
    const connection = membersOf(value);
    const path = ["connections", name];
    mistakes.push(...connectorMistakes(connection["connector"], path, input.connectors));
    const parsed = parse({ connection, connectionPath: path, from: {}, fromPath: path });
    if (parsed === undefined) continue;
    connections.set(name, { name, connector: String(connection["connector"]), ...parsed });
  }
  for (const [sync, value] of Object.entries(membersOf(membersOf(input.data)["syncs"]))) {
    const { from } = membersOf(value);
    const fromPath = ["syncs", sync, "from"];
    const isName = typeof from === "string";
    const { connection: name, ...own } = isName ? { connection: from } : membersOf(from);
    if (typeof name !== "string") continue;
    if (!Object.hasOwn(written, name)) {
      mistakes.push({
        path: isName ? fromPath : [...fromPath, "connection"],
        on: "value",
        message: `no connection has this name${didYouMean(name, Object.keys(written))}`,
      });
      continue;
    }
    const connection = membersOf(written[name]);
    const parsed = parse({
      connection,
      connectionPath: ["connections", name],
      from: own,
      fromPath,
    });
    if (parsed === undefined) continue;
    const connector = String(connection["connector"]);
    bySync.set(sync, { connection: name, connector, connectorConfig: parsed.config });
  }
  return { connections, bySync, mistakes };
}

type Source = {
  readonly connection: Members;
  readonly connectionPath: Path;
  readonly from: Members;
  readonly fromPath: Path;
};

function checkSource(schema: z.ZodType, members: Members, folder: string): Checked<unknown> {
  const { output, mistakes } = checkData(schema, { ...members, folder });
  if (!Object.hasOwn(members, "folder")) return { output, mistakes };
  const message = 'unknown member "folder": relative paths start from the folder of this file';
  return { output: undefined, mistakes: [...mistakes, { path: ["folder"], on: "name", message }] };
}

/** Where a member of the merged configuration is written: `from` wins; what neither has is missing in the connection. */
function pathIn(source: Source, path: Path): Path {
  const [member] = path;
  const isOfFrom = member !== undefined && Object.hasOwn(source.from, member);
  return [...(isOfFrom ? source.fromPath : source.connectionPath), ...path];
}

function connectorMistakes(
  connector: unknown,
  path: Path,
  connectors: ReadonlyMap<string, ConnectorSchema>,
): readonly Mistake[] {
  if (typeof connector !== "string" || connectors.has(connector)) return [];
  const known = [...connectors.keys()];
  const message = `no connector has this name${didYouMean(connector, known)}; there are ${known.join(", ")}`;
  return [{ path: [...path, "connector"], on: "value", message }];
}
