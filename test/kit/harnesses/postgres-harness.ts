import { randomBytes } from "node:crypto";

import { Client } from "pg";
import { z } from "zod";

import type { HarnessRow, PullHarness, Undo } from "../../../testing/harness.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { dropCase } from "./postgres-cases-sketch.ts";
import { postgresCases, type Cases } from "./postgres-cases.ts";
import { Wire, type Cutter } from "./wire.ts";

/** What distinguishes one harness of Postgres from another. */
export type PostgresStyle = {
  /** Members of `from` besides the table. */
  readonly from?: Readonly<Record<string, unknown>>;
  /** @default true */
  readonly mayStall?: boolean;
  /** Which of the cases it has. */
  readonly cases: Exclude<keyof Cases, "close">;
};

/** A table of a real server, that of `PG_URL` or the harness's own, behind a wire that fails on demand. */
export async function postgresHarness(style: PostgresStyle): Promise<PullHarness> {
  const { from = {}, mayStall = true } = style;
  const given = process.env["PG_URL"];
  const cluster = given === undefined ? await PostgresCluster.start() : undefined;
  const server = new URL(given ?? cluster?.url ?? "");
  const { name, password, close: drop } = await makeDatabase(server);
  const owner = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const wire = await Wire.to({ host: server.hostname, port: Number(server.port || 5432) });
  const urlOf = (role: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${wire.port}/${name}`;
  // A connection that bypasses the wire, and stays open.
  const client = new Client(owner);
  await client.connect();
  const ownerUrl = Object.assign(new URL(owner), { host: `127.0.0.1:${wire.port}` }).href;
  const cases = await postgresCases({
    role: name,
    password,
    port: wire.port,
    readerUrl: urlOf(`${name}_reader`),
    barredUrl: urlOf(`${name}_barred`),
    ownerUrl,
    client,
  });
  const stall = async (): Promise<Undo> => {
    wire.holdUp();
    return async () => wire.restore();
  };
  return {
    // F4 waits as long as connecting may take.
    config: { url: `${urlOf(name)}?connect_timeout=3`, table: "rows", ...from },
    fill: async (rows) => await fill(client, rows),
    // Tables that cases left would be discovered.
    empty: async () => void (await client.query(`truncate rows; ${dropCase}`)),
    // A text in Postgres cannot hold one.
    cannotHold: ["NUL"],
    breakAt: async (rows) => {
      wire.cutWith(() => cutterBehind(rows));
      return async () => wire.restore();
    },
    deny: async () => await lockOut(server.href, name, password),
    ...(mayStall && { stall }),
    cases: cases[style.cases],
    commitLate: async (row) => await beginWith(owner, row),
    written: { key: "id", set: "text", read: async (id) => await textOf(owner, id) },
    close: async () => {
      await Promise.all([client.end(), wire.close(), cases.close()]);
      await drop();
      await cluster?.remove();
    },
  };
}

/** Settings of a role that would show in the text of every cell, if they were not overridden. */
const oddSettings = [
  "TimeZone = 'Asia/Kolkata'",
  "DateStyle = 'German, DMY'",
  "IntervalStyle = 'sql_standard'",
  "bytea_output = 'escape'",
  "extra_float_digits = -5",
  "lock_timeout = '1ms'",
  "default_transaction_read_only = on",
  "search_path = sample, public",
];

/**
 * A database with the kit's table, and a role of the same name that may read and write it, and sees whose transactions
 * are open; and two more roles: one that only reads, and one that may not connect.
 */
async function makeDatabase(server: URL): Promise<{
  readonly name: string;
  readonly password: string;
  readonly close: () => Promise<void>;
}> {
  const name = `sluice_kit_${randomBytes(6).toString("hex")}`;
  const password = `kit-password-${randomBytes(6).toString("hex")}`;
  await runSql(server.href, `create database ${name} template template0 encoding 'UTF8'`);
  const roles = [name, `${name}_reader`, `${name}_barred`];
  await runSql(
    server.href,
    [
      ...roles.map((role) => `create role ${role} login password '${password}'`),
      `alter role ${name}_barred connection limit 0`,
      ...oddSettings.map((setting) => `alter role ${name} set ${setting}`),
    ].join(";"),
  );
  await runSql(
    Object.assign(new URL(server), { pathname: `/${name}` }).href,
    `create table rows (
       id bigint primary key, text text, changed timestamptz not null default clock_timestamp());
     create index on rows (changed, id);
     create function stamp() returns trigger language plpgsql as
       $$ begin new.changed := clock_timestamp(); return new; end $$;
     create trigger stamp before update on rows for each row
       when (new.changed = old.changed) execute function stamp();
     grant select, insert, update on rows to ${name};
     grant pg_read_all_stats to ${name};
     create view of_an_extension as select 1 as id; alter extension plpgsql add view of_an_extension;
     grant select on of_an_extension to public`,
  );
  return {
    name,
    password,
    close: async () => {
      await runSql(server.href, `drop database ${name} with (force)`);
      await runSql(server.href, `drop role ${roles.join(", ")}`);
    },
  };
}

const insertRows = `insert into rows (id, text, changed)
  select id, text, changed from json_to_recordset($1) as given (id bigint, text text, changed timestamptz)
  on conflict (id) do update set text = excluded.text, changed = excluded.changed`;

/** Rows of one statement: a server reads one long parameter much more slowly than several short ones. */
const statementRows = 100;

/** Inserts rows in one transaction. */
async function fill(client: Client, rows: readonly HarnessRow[]): Promise<void> {
  await client.query("begin");
  for (let at = 0; at < rows.length; at += statementRows) {
    await client.query(insertRows, [JSON.stringify(rows.slice(at, at + statementRows))]);
  }
  await client.query("commit");
}

/** On a connection of its own, because the kit makes several calls at once. */
async function textOf(owner: string, id: string): Promise<string | null | undefined> {
  const [row] = await runSql(owner, `select text from rows where id = ${BigInt(id)}`);
  return row === undefined ? undefined : z.string().nullable().parse(row["text"]);
}

/** Begins a transaction on a connection of its own. */
async function beginWith(owner: string, row: HarnessRow): Promise<() => Promise<void>> {
  const client = new Client(owner);
  // A transaction that a check left open ends with its database.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await client.query(insertRows, [JSON.stringify([row])]);
  return async () => {
    await client.query("commit");
    await client.end();
  };
}

/** Locks the role out: by its password, and by itself, for a server that asks for no password. */
async function lockOut(server: string, role: string, password: string): Promise<Undo> {
  await runSql(server, `alter role ${role} nologin password 'another'`);
  return async () => void (await runSql(server, `alter role ${role} login password '${password}'`));
}

/** Bytes of a server message before its contents: its kind, and its length without the kind. */
const kindBytes = 1;
const headBytes = 5;

/** Lets this many rows of the kit's table through; those of the catalogue, which have other columns, do not count. */
function cutterBehind(rows: number): Cutter {
  let rest = Buffer.alloc(0);
  let isOfTable = false;
  let left = rows;
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    let end = 0;
    while (rest.length >= end + headBytes) {
      const next = end + kindBytes + rest.readUInt32BE(end + kindBytes);
      if (next > rest.length) break;
      const kind = String.fromCharCode(rest[end] ?? 0);
      if (kind === "T") isOfTable = rest.subarray(end, next).includes("changed\0");
      if (kind === "D" && isOfTable) {
        if (left === 0) return undefined;
        left -= 1;
      }
      end = next;
    }
    const whole = rest.subarray(0, end);
    rest = rest.subarray(end);
    return whole;
  };
}
