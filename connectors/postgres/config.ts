import { z } from "zod";

import { duration } from "../../src/config/units.ts";
import { secret } from "../connector.ts";
import { nameFault, parseTable } from "./identifier.ts";
import {
  keyColumnsMax,
  nameBytesMax,
  queryCharsMax,
  statementTimeoutMsDefault,
  statementTimeoutMsMax,
} from "./limits.ts";
import { urlFault } from "./url.ts";

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
  /** Never null, and set anew by every change: a time, or a number that grows. */
  column: name,
  /** How far each run goes back, for rows that were committed late. @default 1h for times, 0 for numbers */
  overlap: z
    .union([
      duration().transform((ms) => ({ ms })),
      z
        .int()
        .min(0)
        .transform((count) => ({ count })),
    ])
    .optional(),
});

/** The members of a Postgres connection, with those that `from` and `write_back` bring. */
export const postgresConfig = z
  .strictObject({
    /** `postgres://user:password@host:5432/database`, in place of the five members below. */
    url: secret()
      .superRefine((url, context) => {
        const fault = urlFault(url);
        if (fault !== undefined) context.addIssue(fault);
      })
      .optional(),
    /** A name, an address, or the folder of a Unix socket. */
    host: z.string().min(1).optional(),
    /** @default 5432 */
    port: z.int().min(1).max(65_535).optional(),
    database: z.string().min(1).optional(),
    user: z.string().min(1).optional(),
    password: secret().optional(),
    /** @default verify-full; off for this host itself, unless there is a `ca_file` */
    tls: z.enum(["verify-full", "require", "off"]).optional(),
    /** Certificates (PEM) that the server's is checked against, in place of the system's. */
    ca_file: z.string().min(1).optional(),
    /** How long one statement may take. @default 5m */
    statement_timeout: duration()
      .refine((ms) => ms <= statementTimeoutMsMax, "at most 24h")
      .default(statementTimeoutMsDefault),
    /** Folder that a relative path starts from, given by the engine. @default the working directory */
    folder: z.string().min(1).optional(),
    /** The table or view that is read, or written back to. */
    table: table.optional(),
    /** One `select` that is read in place of a table. */
    query: z.string().min(1).max(queryCharsMax).optional(),
    /** Columns that name a row: unique, never null. @default the primary key */
    key: z
      .array(name)
      .min(1)
      .max(keyColumnsMax)
      .refine((names) => new Set(names).size === names.length, "a column stands here twice")
      .optional(),
    /** The column that says what changed; without it every run reads everything. */
    changed_by: changedBy.optional(),
    /** Whether a write-back may add rows. */
    insert: z.boolean().default(true),
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

/** How far a run goes back: by time, or by so many of a number; none is `{ count: 0 }`. */
export type Overlap = NonNullable<NonNullable<PostgresConfig["changed_by"]>["overlap"]>;
