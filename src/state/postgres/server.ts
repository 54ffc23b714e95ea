import type { ClientConfig } from "pg";

import { connectTimeoutMs } from "../../limits.ts";
import { addressOf, passwordOf } from "../../postgres/address.ts";
import { quoteName } from "../../postgres/names.ts";
import { partsOf } from "../../postgres/url.ts";
import type { Secret } from "../../security/secret.ts";

/** Where a store in Postgres is. */
export type StoreServer = {
  /** A URL in which `urlFault` found no fault. */
  readonly url: Secret;
  readonly schema: string;
  /** The project that must own the store; undefined if none was named: then the owner is not checked. */
  readonly project?: string | undefined;
};

/** The name of a store in messages, without its user and its password. */
export function storeName({ url, schema }: StoreServer): string {
  const { host, port, database } = addressOf({ url });
  return `the state store in ${database} at ${host}:${port}, schema ${schema}`;
}

/** The statements that give a role the rights of a worker; those on sequences serve to notice a restored backup. */
export function grantsFor({ url, schema }: StoreServer): string {
  const [role, name] = [quoteName(addressOf({ url }).user), quoteName(schema)];
  return (
    `run: grant usage on schema ${name} to ${role}; ` +
    `grant select, insert, update, delete on all tables in schema ${name} to ${role}; ` +
    `grant select, update on all sequences in schema ${name} to ${role};`
  );
}

/** How a client connects: by default encrypted, with the server's certificate checked, unless it is this host. */
export function clientOf({ url }: StoreServer): ClientConfig {
  const { host, port, database, user, tls } = addressOf({ url });
  return {
    host,
    port,
    database,
    user,
    // A function, because pg would take a missing password from the environment.
    password: () => passwordOf({ url }),
    ssl: tls === "off" ? false : { rejectUnauthorized: tls === "verify-full" },
    enableChannelBinding: true,
    connectionTimeoutMillis: partsOf(url).connectMs ?? connectTimeoutMs,
    keepAlive: true,
    client_encoding: "UTF8",
  };
}
