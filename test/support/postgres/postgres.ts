import { randomBytes } from "node:crypto";

import { Client } from "pg";
import { onTestFinished } from "vitest";

import { PostgresCluster, runSql } from "./postgres-cluster.ts";

/** A fresh database of a real server. */
export type TestDatabase = {
  /** Logs in as its owner, who may do anything; the password is a canary. */
  readonly url: string;
  /** A session of the owner; it ends with the test, or with `restart`. */
  readonly admin: Client;
  /** Runs statements on a connection of their own and returns the rows of the last one. */
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
  /** The same database for another role, which must have this password. */
  readonly urlOf: (user: string, password: string) => string;
};

/** A database on a server that no other process uses. */
export type OwnDatabase = TestDatabase & {
  /** Stops the server, as an operator would, and starts it again. */
  readonly restart: () => Promise<void>;
};

/** Ends with the process, which runs one test file after the other. */
let shared: Promise<PostgresCluster> | undefined;

// Vitest ends its processes with this signal. By default Node would not emit `exit`, where clusters are removed.
process.once("SIGTERM", () => process.exit());

/** The URL of the server of `PG_URL`, or of this process's own. */
export async function postgresServer(): Promise<string> {
  shared ??= process.env["PG_URL"] === undefined ? PostgresCluster.start() : undefined;
  return process.env["PG_URL"] ?? (await shared)?.url ?? "";
}

/** Makes a database that is removed with its test, on the server of `PG_URL`, or on this process's own. */
export async function postgres(): Promise<TestDatabase> {
  const given = process.env["PG_URL"];
  return given === undefined ? await ownPostgres() : await databaseOn(given);
}

/** The same on a server of our own, for tests that restart it or depend on its TLS or settings. */
export async function ownPostgres(): Promise<OwnDatabase> {
  shared ??= PostgresCluster.start();
  const server = await shared;
  return { ...(await databaseOn(server.url)), restart: async () => await server.restart() };
}

async function makeDatabase(server: string): Promise<string> {
  const name = `sluice_test_${randomBytes(6).toString("hex")}`;
  // Takes half the processor time of a copy through the WAL; a given server may be too old for the option.
  const how = process.env["PG_URL"] === undefined ? "strategy file_copy" : "";
  await runSql(server, `create database ${name} template template0 encoding 'UTF8' ${how}`);
  return name;
}

async function dropDatabase(server: string, name: string): Promise<void> {
  await runSql(server, `drop database ${name} with (force)`);
}

async function databaseOn(server: string): Promise<TestDatabase> {
  const name = await makeDatabase(server);
  const urlOf = (login: { user: string; password: string } | undefined): string => {
    const url = Object.assign(new URL(server), { pathname: `/${name}` });
    if (login !== undefined) Object.assign(url, { username: login.user, password: login.password });
    return url.href;
  };
  const url = urlOf(undefined);
  const admin = new Client(url);
  // The server may be restarted under it.
  admin.on("error", () => undefined);
  await admin.connect();
  onTestFinished(async () => {
    await admin.end().catch(() => undefined);
    await dropDatabase(server, name);
  });
  return {
    url,
    admin,
    query: async (sql) => await runSql(url, sql),
    urlOf: (user, secret) => urlOf({ user, password: secret }),
  };
}
