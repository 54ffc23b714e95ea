import type { Config, SyncConfig } from "../config/config.ts";
import { didYouMean } from "../config/messages/did-you-mean.ts";
import type { PullConfig } from "../config/schema/pull.ts";
import type { ConnectionConfig } from "../config/schema/sources.ts";
import { ConfigError } from "../errors.ts";

/** The sync of that name. @throws {ConfigError} there is none; says which there are. */
export function syncNamed(config: Config, name: string): SyncConfig {
  if (config.pulls.has(name)) throw isOtherKind({ name, kind: "pull", command: "pull" });
  return named(config, { kind: "sync", member: "syncs", all: config.syncs }, name);
}

/** The pull of that name. @throws {ConfigError} there is none; says which there are. */
export function pullNamed(config: Config, name: string): PullConfig {
  if (config.syncs.has(name)) throw isOtherKind({ name, kind: "sync", command: "run" });
  return named(config, { kind: "pull", member: "pulls", all: config.pulls }, name);
}

/** The connection of that name. @throws {ConfigError} there is none; says which there are. */
export function connectionNamed(config: Config, name: string): ConnectionConfig {
  const all = config.connections;
  return named(config, { kind: "connection", member: "connections", all }, name);
}

type Kind<Value> = {
  readonly kind: string;
  /** The member of the file that has them. */
  readonly member: string;
  readonly all: ReadonlyMap<string, Value>;
};

function named<Value>({ file }: Config, { kind, member, all }: Kind<Value>, name: string): Value {
  const found = all.get(name);
  if (found !== undefined) return found;
  const names = [...all.keys()];
  throw new ConfigError(`there is no ${kind} "${name}" in ${file}${didYouMean(name, names)}`, {
    hint:
      names.length === 0
        ? `configure one under \`${member}:\``
        : `the ${member} are: ${names.join(", ")}`,
  });
}

function isOtherKind(of: {
  readonly name: string;
  readonly kind: "pull" | "sync";
  readonly command: "pull" | "run";
}): ConfigError {
  const { name, kind, command } = of;
  const wanted = kind === "pull" ? "sync" : "pull";
  return new ConfigError(`${name} is a ${kind}, and no ${wanted}`, {
    hint: `\`sluice ${command} ${name}\` runs it`,
  });
}
