import type { Config } from "../../config/config.ts";
import { storeSchema } from "../../config/schema/store.ts";
import { ConfigError } from "../../errors.ts";
import { Secret } from "../../security/secret.ts";
import { type CopyRequest, copyStore, type StoreCopied } from "../../state/copy/copy-store.ts";
import { storeName, type StoreServer } from "../../state/postgres/server.ts";
import { plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { configOf, type Context, type GlobalOptions } from "../output/context.ts";

/** Where a store is copied to: `sqlite`, `postgres`, or a URL. */
export type CopyOptions = GlobalOptions & { readonly to: string };

/** The server that a URL names, in the schema of `store`, or the usual one. @throws {ConfigError} it names none. */
function serverAt(url: string, store: StoreServer | undefined): StoreServer {
  const { success, data, error } = storeSchema.partial({ project: true }).safeParse({
    url,
    ...(store === undefined ? {} : { schema: store.schema, project: store.project }),
  });
  if (success) return { ...data, url: new Secret(data.url) };
  throw new ConfigError(`--to: ${error.issues[0]?.message ?? "no URL"}`, {
    hint: "say `--to sqlite`, `--to postgres` for the store that sluice.yaml names, or a URL",
  });
}

function requestOf({ to }: CopyOptions, { stateFolder, store }: Config): CopyRequest {
  if (to === "sqlite" || to === "postgres") {
    if (store !== undefined) return { stateFolder, server: store, to };
    throw new ConfigError("sluice.yaml names no `store`", {
      field: "store",
      hint: "write `store: { url: …, project: … }` there first: it says which one is meant",
    });
  }
  const server = serverAt(to, store);
  if (store !== undefined && storeName(store) !== storeName(server)) {
    throw new ConfigError(`sluice.yaml names ${storeName(store)}, and --to ${storeName(server)}`, {
      field: "store",
      hint: "write the one that is meant into sluice.yaml, and say `--to postgres`",
    });
  }
  return { stateFolder, server, to: "postgres" };
}

function textOf({ from, to, storeId, tables }: StoreCopied, isToPostgres: boolean): string {
  if (storeId === undefined) return plainText(`nothing to do: ${from} was moved to ${to} before`);
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const next = isToPostgres
    ? "have `store` in sluice.yaml name it, on every host"
    : "take `store` out of sluice.yaml, on every host";
  return [
    `${from} → ${to}`,
    `${counted(rows, "row")} of ${counted(Object.keys(tables).length, "table")}, counted on both sides`,
    `store ${storeId}`,
    `now ${next}; workers can start a minute after the last one stopped`,
    "then `sluice schedule apply`, where syncs have schedules",
  ]
    .map(plainText)
    .join("\n");
}

/** Moves the project of a configuration to another store. */
export async function copyStoreOf(options: CopyOptions, context: Context): Promise<void> {
  const config = await configOf(context, options);
  const request = requestOf(options, config);
  const copied = await copyStore(request);
  if (options.json) {
    const { storeId = null, ...facts } = copied;
    context.print(JSON.stringify({ ...facts, store: storeId }));
  } else context.print(textOf(copied, request.to === "postgres"));
}
