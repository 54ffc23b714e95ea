import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, type ClientConfig } from "pg";
import { z } from "zod";

import type { TestCase } from "../../../testing/case.ts";
import { portOf } from "../../src/api/support.ts";
import { authority } from "../../support/certificates.ts";
import { changeCases } from "./postgres-cases-changes.ts";
import { foundCases } from "./postgres-cases-found.ts";
import { readLimitCases } from "./postgres-cases-read-limits.ts";
import { recognizedCases } from "./postgres-cases-recognized.ts";
import { refusedSettings } from "./postgres-cases-refused.ts";
import { serverCases } from "./postgres-cases-servers.ts";
import type { Site } from "./postgres-cases-sketch.ts";
import { refusedSources } from "./postgres-cases-sources.ts";
import { statementCases } from "./postgres-cases-statements.ts";
import { tableCases } from "./postgres-cases-tables.ts";
import { valueCases } from "./postgres-cases-values.ts";
import { writeCases } from "./postgres-cases-writes.ts";

/** What a harness of Postgres has. */
export type SiteRequest = Pick<
  Site,
  "role" | "password" | "port" | "readerUrl" | "barredUrl" | "ownerUrl"
> & {
  /** A connection of the owner of everything, bypassing the wire. */
  readonly client: Client;
};

/**
 * The two halves of the cases, each for one harness, so that they are read concurrently; `close` removes what they
 * need.
 */
export type Cases = {
  readonly ofServers: readonly TestCase[];
  readonly ofRows: readonly TestCase[];
  close(): Promise<void>;
};

/** Everything that the kit's plain rows do not have. */
export async function postgresCases(ask: SiteRequest): Promise<Cases> {
  const { client, ...known } = ask;
  const facts = await factsOf(client);
  const certificates = await certificatesIn(facts.certificate);
  const login = { user: ask.role, database: ask.role };
  const run = async (sql: string): Promise<z.output<typeof results>> =>
    results.parse([await client.query(`set search_path = sample, public; ${sql}`)].flat().at(-1));
  const plain = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => void socket.end(noTls));
  });
  await once(plain.listen(0, "127.0.0.1"), "listening");
  const socket = { folder: facts.socket, port: facts.port };
  const isThere = await lets({
    ...login,
    host: socket.folder,
    port: socket.port,
    password: ask.password,
  });
  const site: Site = {
    ...known,
    plainPort: portOf(plain),
    version: facts.version,
    timeline: facts.timeline,
    mayPrepare: facts.prepared > 0,
    asksForPassword: !(await lets({
      ...login,
      host: "127.0.0.1",
      port: ask.port,
      password: "none",
    })),
    socket: isThere ? socket : undefined,
    certificates,
    run: async (sql) => (await run(sql)).rows,
  };
  return {
    ofServers: [
      ...refusedSettings(site),
      ...serverCases(site),
      ...refusedSources(site),
      ...statementCases(site),
    ],
    ofRows: [
      ...foundCases(site),
      ...valueCases(site),
      ...tableCases(site),
      ...changeCases(site),
      ...readLimitCases(site),
      ...recognizedCases(site),
      ...writeCases(site),
    ],
    close: async () => {
      plain.close();
      if (certificates !== undefined) await rm(certificates, { recursive: true, force: true });
    },
  };
}

/** The answer of a server without TLS to a request for TLS. */
const noTls = "N";

const results = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

const facts = z.object({
  version: z.string(),
  socket: z.string(),
  port: z.coerce.number(),
  prepared: z.coerce.number(),
  timeline: z.int(),
  certificate: z.string(),
});

/** What the server reports about itself; an empty certificate if it has no TLS. */
async function factsOf(client: Client): Promise<z.output<typeof facts>> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('port') as port,
       current_setting('max_prepared_transactions') as prepared,
       (select timeline_id from pg_control_checkpoint()) as timeline,
       split_part(current_setting('unix_socket_directories'), ',', 1) as socket,
       case when current_setting('ssl')::boolean then pg_read_file(current_setting('ssl_cert_file')) else '' end as
       certificate`,
  );
  return facts.parse(rows[0]);
}

/** Whether a connection can be made. */
async function lets(config: ClientConfig): Promise<boolean> {
  const client = new Client(config);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** A folder with the server's certificate and another, if the server's is self-signed and valid for 127.0.0.1. */
async function certificatesIn(text: string): Promise<string | undefined> {
  if (text === "") return undefined;
  const certificate = new X509Certificate(text);
  if (!certificate.checkIssued(certificate) || certificate.checkIP("127.0.0.1") === undefined) {
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "sluice-kit-postgres-"));
  await writeFile(join(folder, "c"), text);
  await writeFile(join(folder, "other"), authority);
  return folder;
}
