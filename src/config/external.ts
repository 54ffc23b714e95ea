import { ConfigError } from "../errors.ts";
import { membersOf } from "./schema/members.ts";
import type { ConnectorSchema } from "./schema/sources.ts";

/** An external connector, as a connection names it. */
export type ExternalName = {
  readonly connector: string;
  /** Folder of `sluice.yaml`: a path starts there, and a package is found from there. */
  readonly folder: string;
};

/** Matches the name of an external connector: a path, or a package. */
export const externalName: RegExp =
  /^(?:\.{0,2}\/|(?:@[a-z0-9~-][a-z0-9._~-]*\/)?sluice-connector-[a-z0-9._~-]+$)/;

/** The connectors of a configuration. */
export type Connectors = {
  readonly connectors: ReadonlyMap<string, ConnectorSchema>;
  /** For each other connector that connections name, why it cannot be loaded, as a sentence. */
  readonly unloaded: ReadonlyMap<string, string>;
};

/** Adds the external connectors that connections name to the known ones, as far as they can be loaded. */
export async function withExternal(
  data: unknown,
  from: {
    readonly folder: string;
    readonly known: ReadonlyMap<string, ConnectorSchema>;
    /** @throws {ConfigError} it cannot be loaded. */
    readonly load: ((named: ExternalName) => Promise<ConnectorSchema>) | undefined;
  },
): Promise<Connectors> {
  const { folder, known, load } = from;
  const connectors = new Map(known);
  const unloaded = new Map<string, string>();
  if (load === undefined) return { connectors, unloaded };
  for (const connection of Object.values(membersOf(membersOf(data)["connections"]))) {
    const { connector } = membersOf(connection);
    if (typeof connector !== "string" || !externalName.test(connector)) continue;
    if (connectors.has(connector) || unloaded.has(connector)) continue;
    try {
      connectors.set(connector, await load({ connector, folder }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      unloaded.set(connector, [error.message, error.hint].filter(Boolean).join("; "));
    }
  }
  return { connectors, unloaded };
}
