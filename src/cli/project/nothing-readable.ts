import { membersOf } from "../../config/schema/members.ts";
import { ConfigError } from "../../errors.ts";
import { Secret } from "../../security/secret.ts";

/** The role and the database of a connection to Postgres, from its URL or from the members in its place. */
function roleOf(config: unknown): { readonly role: string; readonly database: string } | undefined {
  const { url, user, database } = membersOf(config);
  if (typeof user === "string") {
    return { role: user, database: typeof database === "string" ? database : user };
  }
  const text = url instanceof Secret ? url.reveal() : url;
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const { username, pathname } = new URL(text);
  const role = decodeURIComponent(username);
  return role === ""
    ? undefined
    : { role, database: decodeURIComponent(pathname.slice(1)) || role };
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/**
 * The error for a connection that holds nothing that may be read; for Postgres, with the statements that let its role
 * read.
 */
export function nothingReadable(connector: string, config: unknown): ConfigError {
  const found = connector === "postgres" ? roleOf(config) : undefined;
  if (found === undefined) return new ConfigError("there is nothing here that may be read");
  const role = quoted(found.role);
  return new ConfigError(`role ${found.role} may read no table of database ${found.database}`, {
    hint:
      `where it has tables: grant usage on schema public to ${role}; ` +
      `grant select on all tables in schema public to ${role}; (with their schema in place of public)`,
  });
}
