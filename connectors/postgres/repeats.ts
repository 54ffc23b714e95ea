import type { ConnectorRequest } from "../contract/request.ts";
import { withSession } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { describeSource, isUnique } from "./source.ts";

/**
 * How often the same values may be in some columns: `once` where a key or a unique index says so, `often`
 * where the key needs further columns; undefined where the columns have nothing to do with the key.
 */
export async function repeatsInPostgres(
  request: ConnectorRequest<PostgresConfig> & { readonly columns: readonly string[] },
): Promise<"often" | "once" | undefined> {
  return await withSession(request, async (session) => {
    const { key, oid } = await describeSource(session, request.config);
    const keyNames = key.map(({ name }) => name);
    if (keyNames.every((name) => request.columns.includes(name))) return "once";
    if (oid !== undefined && (await isUnique(session, oid, request.columns))) return "once";
    const isPartOfKey =
      request.columns.length > 0 && request.columns.every((name) => keyNames.includes(name));
    return isPartOfKey ? "often" : undefined;
  });
}
