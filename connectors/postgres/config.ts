import { z } from "zod";

import { timeZoneFault } from "../../src/config/schema/time-zone.ts";
import { duration } from "../../src/config/schema/units.ts";
import { nameBytesMax, nameFault } from "../../src/postgres/names.ts";
import { urlFault } from "../../src/postgres/url.ts";
import { secret } from "../contract/connector.ts";
import {
  keyColumnsMax,
  queryCharsMax,
  statementTimeoutMsDefault,
  statementTimeoutMsMax,
} from "./limits.ts";
import { parseTable } from "./sql/identifier.ts";

const name = z.string().superRefine((text, context) => {
  const fault = nameFault(text);
  if (fault !== undefined) context.addIssue(`this name ${fault}`);
});

const table = z
  .string()
  .refine(
    (text) => parseTable(text) !== undefined,
    `a table: companies, crm.companies or "My.Schema"."Table", each name at most ${nameBytesMax} bytes`,
  );

const changedBy = z.strictObject({
  column: name.describe(
    "Never null, and set anew by every change: a time, or a number that grows.",
  ),
  overlap: z
    .union([
      duration().transform((ms) => ({ ms })),
      z
        .int()
        .min(0)
        .transform((count) => ({ count })),
    ])
    .optional()
    .describe(
      "How far each run goes back, for rows that were committed late; by default 1h for times and 0 for numbers.",
    ),
});

/** The members of a Postgres connection, with those that `from` and `write_back` bring. */
export const postgresConfig = z
  .strictObject({
    url: secret()
      .superRefine((url, context) => {
        const fault = urlFault(url);
        if (fault !== undefined) context.addIssue(fault);
      })
      .optional()
      .describe(
        "postgres://user:password@host:5432/database, best as ${CRM_DATABASE_URL}; in place of host, port, " +
          "database, user and password.",
      ),
    host: z
      .string()
      .min(1)
      .optional()
      .describe("Where the server is: a name, an address, or the folder of a Unix socket."),
    port: z.int().min(1).max(65_535).optional().describe("The server's port; by default 5432."),
    database: z
      .string()
      .min(1)
      .optional()
      .describe("The name of the database; by default that of the user."),
    user: z.string().min(1).optional().describe("The role that logs in; it needs to read alone."),
    password: secret().optional().describe("The password of user, best as ${CRM_PASSWORD}."),
    tls: z
      .enum(["verify-full", "require", "off"])
      .optional()
      .describe(
        "verify-full checks the server's certificate and name, require only encrypts; by default verify-full, " +
          "and off for this host itself without a ca_file.",
      ),
    ca_file: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Certificates (PEM) that the server's is checked against, in place of the system's.",
      ),
    statement_timeout: duration()
      .refine((ms) => ms <= statementTimeoutMsMax, "at most 24h")
      .default(statementTimeoutMsDefault)
      .describe("How long one statement may take, up to 24h."),
    folder: z
      .string()
      .min(1)
      .optional()
      .describe("The folder that a relative path starts from; given by the engine."),
    table: table
      .optional()
      .describe("The table or view that is read, or written back to: crm.companies."),
    query: z
      .string()
      .min(1)
      .max(queryCharsMax)
      .optional()
      .describe("One select that is read in place of a table."),
    key: z
      .array(name)
      .min(1)
      .max(keyColumnsMax)
      .refine((names) => new Set(names).size === names.length, "a column is here twice")
      .optional()
      .describe("The columns that name a row, unique and never null; by default the primary key."),
    changed_by: changedBy
      .optional()
      .describe("The column that says what changed; without it every run reads everything."),
    time_zone: z
      .string()
      .superRefine((zone, context) => {
        const fault = timeZoneFault(zone);
        if (fault !== undefined) context.addIssue(fault);
      })
      .optional()
      .describe(
        "The zone of a change column that has none, such as UTC or Europe/Paris; by default the " +
          "server's own, which `check` calls a fault.",
      ),
    insert: z.boolean().default(true).describe("Whether a write-back may add rows."),
  })
  .refine((config) => config.table === undefined || config.query === undefined, {
    path: ["query"],
    message: "there is a table already: remove one of the two",
  })
  .refine((config) => config.url !== undefined || config.host !== undefined, {
    path: ["url"],
    message: "say where the database is: url, or host, database and user",
  })
  .refine((config) => config.url !== undefined || config.user !== undefined, {
    path: ["user"],
    message: "say who logs in",
  })
  .superRefine((config, context) => {
    if (config.url === undefined) return;
    for (const member of ["host", "port", "database", "user", "password"] as const) {
      if (config[member] === undefined) continue;
      context.addIssue({ code: "custom", path: [member], message: "the url says this already" });
    }
  })
  .refine((config) => config.tls !== "off" || config.ca_file === undefined, {
    path: ["ca_file"],
    message: "without TLS there is no certificate to check",
  })
  .refine(({ host = "", tls = "off" }) => !host.startsWith("/") || tls === "off", {
    path: ["tls"],
    message: "a Unix socket has no TLS",
  });

/** A Postgres connection as the connector uses it. */
export type PostgresConfig = z.output<typeof postgresConfig>;

/** How far a run goes back: by a time, or by a count for numbers; `{ count: 0 }` is not at all. */
export type Overlap = NonNullable<NonNullable<PostgresConfig["changed_by"]>["overlap"]>;
