import type { Config } from "../src/config/config.ts";
import type { ExternalName } from "../src/config/external.ts";
import type { ConnectorSchema } from "../src/config/schema/sources.ts";
import type { Source } from "./contract/connector.ts";
import { connectorApi } from "./contract/version.ts";
import { csv } from "./csv/index.ts";
import { http } from "./http/index.ts";
import { readFromInbox } from "./inbox/index.ts";
import { jsonl } from "./jsonl/index.ts";
import { loadConnector } from "./load/load.ts";
import { postgres } from "./postgres/index.ts";
import { webhook } from "./webhook/index.ts";

/** Every connector of this repository, by the name that `connector:` takes. */
export const sources: ReadonlyMap<string, Source> = new Map(
  [csv, http, jsonl, postgres, readFromInbox(webhook)].map((source) => [source.name, source]),
);

/**
 * The connector that a configuration names: one of this repository, or an external one, which is imported
 * once per thread.
 * @throws {ConfigError} there is none, or it cannot be loaded.
 */
export async function sourceNamed(named: ExternalName): Promise<Source> {
  return sources.get(named.connector) ?? (await loadConnector(named, [...sources.keys()]));
}

/** The connectors of a configuration, by their names in `connector:`. */
export function sourcesOf({ connectors }: Pick<Config, "connectors">): ReadonlyMap<string, Source> {
  return new Map([...connectors].filter(isSource));
}

/** A loaded connector was checked when it was loaded: only pullSource and readFromInbox give this `api`. */
function isSource(entry: readonly [string, ConnectorSchema]): entry is [string, Source] {
  return "api" in entry[1] && entry[1].api === connectorApi;
}
