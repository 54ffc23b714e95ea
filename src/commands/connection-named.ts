import type { Config } from "../config/config.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import type { ConnectionConfig } from "../config/sources.ts";
import { ConfigError } from "../errors.ts";

/** The connection of a name. @throws {ConfigError} there is none. */
export function connectionNamed(config: Config, name: string): ConnectionConfig {
  const found = config.connections.get(name);
  if (found !== undefined) return found;
  const names = [...config.connections.keys()];
  throw new ConfigError(`there is no connection "${name}"${didYouMean(name, names)}`, {
    hint:
      names.length === 0
        ? "configure one under `connections:`"
        : `the connections are: ${names.join(", ")}`,
  });
}
