import { resolve } from "node:path";

/** A path in a connector's configuration, from the folder that the engine gave; undefined when the member has none. */
export function absolutePath(
  config: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const { [member]: path, folder } = config;
  if (typeof path !== "string") return undefined;
  return resolve(typeof folder === "string" ? folder : ".", path);
}
