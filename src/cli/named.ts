import type { Config, SyncConfig } from "../config/config.ts";
import { didYouMean } from "../config/messages/did-you-mean.ts";
import type { PullConfig } from "../config/schema/pull.ts";
import type { ConnectionConfig } from "../config/schema/sources.ts";
import { ConfigError } from "../errors.ts";

/**
 * The sync of that name; without a name, the only one. @throws {ConfigError} there is none, or there are several; the
 * message lists them.
 */
export function syncNamed(config: Config, name: string | undefined): SyncConfig {
  if (name !== undefined && config.pulls.has(name))
    throw isOtherKind({ name, kind: "pull", command: "pull" });
  return named(config, { kind: "sync", member: "syncs", all: config.syncs }, name);
}

/**
 * The syncs of these names in their order, each once; all of them if `isAll`; without names, the only one.
 * @throws {ConfigError} as for `syncNamed`, or both are asked for.
 */
export function syncsNamed(
  config: Config,
  names: readonly string[],
  isAll = false,
): readonly SyncConfig[] {
  if (isAll && names.length > 0) {
    throw new ConfigError(`--all and ${names.join(", ")}: name some, or take all`);
  }
  if (isAll && config.syncs.size > 0) return [...config.syncs.values()];
  if (names.length === 0 && config.syncs.size > 1) {
    const hint = `the syncs are: ${[...config.syncs.keys()].join(", ")}`;
    throw new ConfigError("say which syncs, or --all", { hint });
  }
  const wanted = names.length === 0 ? [undefined] : [...new Set(names)];
  return wanted.map((name) => syncNamed(config, name));
}

/** The pull of that name, by the rules of `syncNamed`. */
export function pullNamed(config: Config, name: string | undefined): PullConfig {
  if (name !== undefined && config.syncs.has(name))
    throw isOtherKind({ name, kind: "sync", command: "run" });
  return named(config, { kind: "pull", member: "pulls", all: config.pulls }, name);
}

/** The connection of that name, by the rules of `syncNamed`. */
export function connectionNamed(config: Config, name: string | undefined): ConnectionConfig {
  const all = config.connections;
  return named(config, { kind: "connection", member: "connections", all }, name);
}

type Kind<Value> = {
  readonly kind: string;
  /** The member of the file that has them. */
  readonly member: string;
  readonly all: ReadonlyMap<string, Value>;
};

function named<Value>(
  { file }: Config,
  { kind, member, all }: Kind<Value>,
  name: string | undefined,
): Value {
  const names = [...all.keys()];
  const found = all.get(name ?? (names.length === 1 ? (names[0] ?? "") : ""));
  if (found !== undefined) return found;
  const unnamed = names.length === 0 ? `there is no ${kind} in ${file}` : `say which ${kind}`;
  throw new ConfigError(
    name === undefined
      ? unnamed
      : `there is no ${kind} "${name}" in ${file}${didYouMean(name, names)}`,
    {
      hint:
        names.length === 0
          ? `configure one under \`${member}:\``
          : `the ${member} are: ${names.join(", ")}`,
    },
  );
}

function isOtherKind(of: {
  readonly name: string;
  readonly kind: "pull" | "sync";
  readonly command: "pull" | "run";
}): ConfigError {
  const { name, kind, command } = of;
  const wanted = kind === "pull" ? "sync" : "pull";
  return new ConfigError(`${name} is a ${kind}, not a ${wanted}`, {
    hint: `\`sluice ${command} ${name}\` runs it`,
  });
}
