import {
  pushConnections as pushedTo,
  type Pushed,
} from "../../../connectors/contract/push-connections.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { connectionNamed } from "../named.ts";

/** A connection that is pushed to, as commands show it. */
export type PushConnection = Pick<Pushed, "config" | "connection" | "push"> & {
  /** The syncs that read it, in the order of their names. */
  readonly readers: readonly string[];
};

/** The connections that are pushed to. */
export function receiverConnections(config: Config): PushConnection[] {
  return pushedTo({ config, sources: sourcesOf(config) }).map(({ syncs, ...pushed }) => {
    return { ...pushed, readers: syncs.map(({ name }) => name).toSorted() };
  });
}

/** What to do if events come in and nobody sends them. */
export function readHint(connection: string): string {
  return `give a sync \`from: ${connection}\``;
}

/** A warning for each connection that no sync reads. */
export function unreadTexts(pushed: readonly PushConnection[]): string[] {
  return pushed
    .filter(({ readers }) => readers.length === 0)
    .map(({ connection }) => {
      return `no sync reads ${connection}: its events are kept → ${readHint(connection)}`;
    });
}

/** The connections that are pushed to. @throws {ConfigError} there is none. */
export function needPushConnection(config: Config): PushConnection[] {
  const pushed = receiverConnections(config);
  if (pushed.length > 0) return pushed;
  throw new ConfigError(`no connection of ${config.file} is pushed to`, {
    field: "connections",
    hint: "configure one: `forms: { connector: webhook, path: /hooks/forms, secret: … }`",
  });
}

/** The connection of that name. @throws {ConfigError} there is none, or it is not pushed to. */
export function receiverConnectionNamed(config: Config, name: string): PushConnection {
  const { connector } = connectionNamed(config, name);
  const pushed = needPushConnection(config);
  const found = pushed.find(({ connection }) => connection === name);
  if (found !== undefined) return found;
  const names = pushed.map(({ connection }) => connection).join(", ");
  throw new ConfigError(`nothing is pushed to ${name}: its connector is ${connector}`, {
    hint: `connections that take events: ${names}`,
  });
}

/**
 * The connection that is pushed to, if there is only one. @throws {ConfigError} there is none, or there are several.
 */
export function onlyPush(config: Config): PushConnection {
  const [only, ...others] = needPushConnection(config);
  if (only !== undefined && others.length === 0) return only;
  const names = receiverConnections(config).map(({ connection }) => connection);
  throw new ConfigError("several connections are pushed to, and --connection is missing", {
    hint: `say which: --connection ${names.join(", or --connection ")}`,
  });
}
