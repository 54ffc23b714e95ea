import { postedConnections as postedTo, type Posted } from "../../../connectors/contract/posted.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { connectionNamed } from "../named.ts";

/** A connection that is posted to, as commands show it. */
export type PostedConnection = Pick<Posted, "config" | "connection" | "push"> & {
  /** The syncs that read it, in the order of their names. */
  readonly readers: readonly string[];
};

/** The connections that are posted to. */
export function postedConnections(config: Config): PostedConnection[] {
  return postedTo({ config, sources: sourcesOf(config) }).map(({ syncs, ...posted }) => {
    return { ...posted, readers: syncs.map(({ name }) => name).toSorted() };
  });
}

/** What to do where events come in and nobody sends them. */
export function readHint(connection: string): string {
  return `give a sync \`from: ${connection}\``;
}

/** A warning for each connection that no sync reads. */
export function unreadTexts(posted: readonly PostedConnection[]): string[] {
  return posted
    .filter(({ readers }) => readers.length === 0)
    .map(({ connection }) => {
      return `no sync reads ${connection}: what it is sent is kept → ${readHint(connection)}`;
    });
}

/** The connections that are posted to. @throws {ConfigError} there is none. */
export function needPosted(config: Config): PostedConnection[] {
  const posted = postedConnections(config);
  if (posted.length > 0) return posted;
  throw new ConfigError(`no connection of ${config.file} is posted to`, {
    field: "connections",
    hint: "configure one: `forms: { connector: webhook, path: /hooks/forms, secret: … }`",
  });
}

/** The connection of that name. @throws {ConfigError} there is none, or it is not posted to. */
export function postedNamed(config: Config, name: string): PostedConnection {
  const { connector } = connectionNamed(config, name);
  const posted = needPosted(config);
  const found = posted.find(({ connection }) => connection === name);
  if (found !== undefined) return found;
  const names = posted.map(({ connection }) => connection).join(", ");
  throw new ConfigError(`nothing is posted to ${name}: its connector is ${connector}`, {
    hint: `posted to are: ${names}`,
  });
}

/** The connection that is posted to where there is one alone. @throws {ConfigError} there is none, or there are several. */
export function onlyPosted(config: Config): PostedConnection {
  const [only, ...others] = needPosted(config);
  if (only !== undefined && others.length === 0) return only;
  const names = postedConnections(config).map(({ connection }) => connection);
  throw new ConfigError("several connections are posted to, and --connection is missing", {
    hint: `say which: --connection ${names.join(", or --connection ")}`,
  });
}
