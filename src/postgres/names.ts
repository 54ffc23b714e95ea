import { ConfigError } from "../errors.ts";

/** The most bytes that a name may have; Postgres silently cuts a longer one (NAMEDATALEN). */
export const nameBytesMax = 63;

/** What is wrong with a name, or undefined. Postgres would cut a long name, which may then match another column. */
export function nameFault(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "holds a NUL";
  const bytes = Buffer.byteLength(name);
  return bytes > nameBytesMax ? `has ${bytes} bytes; Postgres keeps ${nameBytesMax}` : undefined;
}

/**
 * A name quoted for a statement, so that it is only ever a name (docs/facts/threats.md#t4).
 * @throws {ConfigError} Postgres cannot have such a name.
 */
export function quoteName(name: string): string {
  const fault = nameFault(name);
  if (fault !== undefined) throw new ConfigError(`the name ${JSON.stringify(name)} ${fault}`);
  return `"${name.replaceAll('"', '""')}"`;
}

/** Several names, quoted, with commas between. @throws {ConfigError} as `quoteName`. */
export function quoteNames(names: readonly string[]): string {
  return names.map(quoteName).join(", ");
}
